"""Folders and files are `str` or `os.PathLike`."""
import os
from typing import Union

Path = Union[str, "os.PathLike[str]"]
