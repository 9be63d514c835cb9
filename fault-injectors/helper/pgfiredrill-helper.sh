#!/bin/sh
VERSION=1
[ "${1-}" != version ] || { echo "pgfiredrill-helper $VERSION"; exit 0; }
exit 30
