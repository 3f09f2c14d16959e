"""A child's process tree on Windows: a job object, which ends with its last handle even if this program crashes."""

import ctypes
import subprocess
import sys
from contextlib import suppress
from typing import IO, Any

import psutil

_CREATE_SUSPENDED = 0x4
_CREATE_NEW_PROCESS_GROUP = 0x200
_CREATE_NO_WINDOW = 0x8000000
START: dict[str, Any] = {"creationflags": _CREATE_SUSPENDED | _CREATE_NEW_PROCESS_GROUP | _CREATE_NO_WINDOW}
"""What Popen needs: suspended, so that the program is in the job before it can start another."""
_EXTENDED_LIMIT_INFORMATION = 9
_KILL_ON_JOB_CLOSE = 0x2000
_SET_QUOTA_AND_TERMINATE = 0x100 | 0x1
_KILLED = 137
"""The exit code of what we end; the same that a shell shows for a kill elsewhere."""

_HANDLE, _NUMBER, _FLAG = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "CreateJobObjectW": (_HANDLE, [_HANDLE, ctypes.c_wchar_p]),
    "OpenProcess": (_HANDLE, [_NUMBER, _FLAG, _NUMBER]),
    "SetInformationJobObject": (_FLAG, [_HANDLE, _FLAG, _HANDLE, _NUMBER]),
    "AssignProcessToJobObject": (_FLAG, [_HANDLE, _HANDLE]),
    "TerminateJobObject": (_FLAG, [_HANDLE, _NUMBER]),
    "CloseHandle": (_FLAG, [_HANDLE]),
}
"""Handles are 64 bits wide, where an undeclared result or argument would be cut to 32."""


class BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION, in widths that are the same on every platform."""

    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("least_working_set", ctypes.c_size_t),
        ("most_working_set", ctypes.c_size_t),
        ("processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority", ctypes.c_uint32),
        ("scheduling", ctypes.c_uint32),
    )


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION: the basic limits, six counters, four amounts of memory."""

    _fields_ = (("basic", BasicLimits), ("counters", ctypes.c_uint64 * 6), ("memory", ctypes.c_size_t * 4))


class Tree:
    """The started program and all that came of it; not safe for two threads at once, apart from `wait`."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._kernel = _kernel()
        self._job = self._confine()
        try:
            psutil.Process(process.pid).resume()
        except psutil.Error:
            process.kill()
            self._kernel.CloseHandle(self._job)
            raise

    def wait(self) -> None:
        """Blocks until the program itself has ended."""
        self._process.wait()

    def end(self) -> None:
        """Kills everything."""
        if self._job:
            self._kernel.TerminateJobObject(self._job, _KILLED)
            return
        with suppress(psutil.Error):
            for child in psutil.Process(self._process.pid).children(recursive=True):
                with suppress(psutil.Error):
                    child.kill()
        self._process.kill()

    def close(self) -> int:
        """Ends what the program left behind; its exit code."""
        code = self._process.wait()
        if self._job:
            self._kernel.CloseHandle(self._job)
            self._job = None
        return code

    def _confine(self) -> int | None:
        """A job with the program in it; None where Windows refuses one, as inside a job that forbids others."""
        kernel = self._kernel
        job: int | None = kernel.CreateJobObjectW(None, None)
        process: int | None = kernel.OpenProcess(_SET_QUOTA_AND_TERMINATE, 0, self._process.pid)
        limits = ExtendedLimits()
        limits.basic.flags = _KILL_ON_JOB_CLOSE
        confined = (
            job
            and process
            and kernel.SetInformationJobObject(
                job, _EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits)
            )
            and kernel.AssignProcessToJobObject(job, process)
        )
        kernel.CloseHandle(process)
        if confined:
            return job
        kernel.CloseHandle(job)
        return None


def readable(pipe: IO[bytes]) -> bool:
    """Always: a read may block, but the end of the job closes the pipe."""
    return True


def _kernel() -> Any:
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(kernel, name)
            function.restype, function.argtypes = result, arguments
        return kernel
    raise OSError("Job objects exist on Windows only.")
