"""Recorded HTTP for pytest: cassettes with variants, and a session of a Tapedeck for each test."""

from .errors import TapedeckError
from .held import HeldRequest, HeldRequests
from .tapedeck import Tapedeck
from .traffic import Exchange, Message

__all__ = ["Exchange", "HeldRequest", "HeldRequests", "Message", "Tapedeck", "TapedeckError"]
