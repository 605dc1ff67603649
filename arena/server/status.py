"""The one map from what can go wrong on a stream to gRPC status codes."""

from __future__ import annotations

from enum import Enum

import grpc

Code = grpc.StatusCode


class Refusal(Enum):
    """Why a stream ends with a status other than OK, and what the bot is told."""

    NO_TOKEN = (Code.UNAUTHENTICATED, "no entrant has this token (authorization: Bearer …)")
    TOO_MANY_OPENS = (Code.RESOURCE_EXHAUSTED, "too many streams were opened with this token")
    NO_HELLO = (Code.DEADLINE_EXCEEDED, "the first message, Hello, did not come in time")
    NOT_HELLO = (Code.INVALID_ARGUMENT, "the first message must be a PlayRequest with hello only")
    BAD_HELLO = (Code.INVALID_ARGUMENT, "hello is not valid")
    WRONG_PROTOCOL = (Code.FAILED_PRECONDITION, "this referee speaks protocol version 1")
    IS_OVER = (Code.FAILED_PRECONDITION, "the run is over")
    NOT_READING = (Code.DEADLINE_EXCEEDED, "the bot does not read what it is sent")
    REPLACED = (Code.ABORTED, "a newer stream with this token has taken over")
    VIOLATIONS = (Code.RESOURCE_EXHAUSTED, "too many messages against the protocol")
    ARENA_FAULT = (Code.INTERNAL, "the arena failed; it is not your fault")

    @property
    def code(self) -> grpc.StatusCode:
        """The status code."""
        return self.value[0]

    @property
    def text(self) -> str:
        """The reason in words."""
        return self.value[1]
