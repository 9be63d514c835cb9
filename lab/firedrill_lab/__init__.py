"""The lab: four booted containers on one bridge that hold a whole cluster.

names      what a lab is called and where everything of it lives (no side effects)
errors     what went wrong, said so that the reader can act
shell      running other programs, and the line of progress
cgroups    which processes belong to which host, and how to end all of them at once
image      the read-only Debian base that all labs share
network    bridge, namespaces and virtual cables
disks      the overlay that is a host's root, and its own small data file system
hosts      booting, stopping and reaching the containers
access     keys, certificates and passwords of one lab
inventory  the inventory that describes one lab
deploy     running the playbook that lays the services
snapshot   keeping the pristine cluster and starting again from it
observe    asking every part of the cluster how it is
health     judging those answers (no side effects)
teardown   removing every trace, whatever state it was left in
needs      what this machine lacks, all of it at once
cli        the command line
"""
