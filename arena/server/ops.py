"""Health and reflection, for grpcurl and the like: the extra `ops`, on where it is installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import grpc


async def add_ops(server: grpc.aio.Server, service: str) -> bool:
    """Add the standard health and reflection services; return whether they are installed."""
    if find_spec("grpc_health") is None or find_spec("grpc_reflection") is None:
        return False
    from grpc_health.v1 import health, health_pb2, health_pb2_grpc
    from grpc_reflection.v1alpha import reflection

    servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    serving = health_pb2.HealthCheckResponse.SERVING
    for name in ("", service):
        await servicer.set(name, serving)
    names = (service, health.SERVICE_NAME, reflection.SERVICE_NAME)
    reflection.enable_server_reflection(names, server)
    return True
