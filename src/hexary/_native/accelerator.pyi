from collections.abc import Callable, Iterable
from typing import Any, Self, TypeAlias, TypeVar, final, type_check_only

_Function = TypeVar("_Function", bound=Callable[..., Any])

_ReadableBuffer: TypeAlias = bytes | bytearray | memoryview

__version__: str
interface: int

@final
@type_check_only
class _Running:
    def update(self, data: _ReadableBuffer, /) -> None: ...
    def digest(self) -> bytes: ...
    def copy(self) -> Self: ...

def adopt(
    *,
    to_buffer: Callable[..., Any] = ...,
    to_items: Callable[..., Any] = ...,
    packed: Callable[..., Any] = ...,
    fault: Callable[..., Any] = ...,
    plain_form: Callable[..., Any] = ...,
    raw: type = ...,
    plain_bytes: Callable[..., Any] = ...,
    pairs_of: Callable[..., Any] = ...,
    values_of: Callable[..., Any] = ...,
    hash_type: type = ...,
    account_type: type = ...,
    address_type: type = ...,
    storage_type: type = ...,
    number_type: type = ...,
    bytes_type: type = ...,
    hash_node: type = ...,
    decode_node: Callable[..., Any] = ...,
    missing_node: type = ...,
    refuse_child: Callable[..., Any] = ...,
    key_at: Callable[..., Any] = ...,
    retry: type = ...,
    read_item: Callable[..., Any] = ...,
    read_raw: Callable[..., Any] = ...,
    encode: Callable[..., Any] = ...,
    pure_coder: type = ...,
    json_layout: Callable[..., Any] = ...,
) -> None: ...
def helper_names() -> tuple[str, ...]: ...
def twin_of(pure: _Function, /) -> _Function | None: ...
def kernels() -> list[tuple[str, str, bool]]: ...
def kernel_in_use() -> tuple[str, str]: ...
def use_kernel(name: str, /) -> None: ...
def tally() -> tuple[int, int, int]: ...
def keccak256(data: _ReadableBuffer, /) -> bytes: ...
def keccak512(data: _ReadableBuffer, /) -> bytes: ...
def keccak256_many(items: Iterable[_ReadableBuffer], /) -> list[bytes]: ...
def keccak256_packed(
    data: _ReadableBuffer, /, *, offsets: int | memoryview
) -> bytes: ...
def start256() -> _Running: ...
def start512() -> _Running: ...
def update_many(
    states: list[_Running], pieces: list[bytes | memoryview], /
) -> None: ...
