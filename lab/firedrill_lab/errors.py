"""Failures that a user can act on. Anything else is a defect and shows its trace."""

from __future__ import annotations


class LabError(Exception):
    """Something the lab tried did not work.

    `what` says what was tried and what came back, `hint` what to do about it. `code` is the exit
    code: 1 failed or unhealthy, 2 bad usage, 3 this machine lacks something.
    """

    def __init__(self, what: str, hint: str = "", code: int = 1) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.code = code


class UsageError(LabError):
    """The command line asks for something that cannot be; nothing was touched."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what, hint, code=2)
