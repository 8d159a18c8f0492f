"""
The core of a trie: a root node, and the operations that replace it.

`PureCore` defines it, and `Core` is what tries are made with: the accelerator's core,
if there is one, else this.  Both have the methods below, and whoever uses a core uses
these alone.  A core shows its nodes as `root`, `opened` and `node_at` return them, with
what is below as nodes or as hashes; `opened` leads on from a `HashNode`.

Nodes are immutable, so a change builds the nodes on its way from the leaf up to a new
root and shares all others with the trie before it.  A copy is therefore one reference,
and reading never needs a lock.

Of a stored subtree the core holds only the hash, a `HashNode`, and asks its *source*
for the node when the way leads there.  What it gets that way never becomes part of the
tree: every node in memory that is not a `HashNode` is new since the last commit.

Nothing here recurses: the depth of a trie is up to whoever chose the keys.  So is the
length of a path, of which a source gets a view: a copy at each node would take time in
proportion to its square.
"""

from __future__ import annotations

import copyreg
from typing import TYPE_CHECKING, Any, NoReturn

from hexary.errors import MissingNodeError, NodeError, NodeReason
from hexary.trie.nibbles import common_prefix_length, key_at, unpack
from hexary.trie.nodes import (
    EMPTY_ROOT,
    BranchNode,
    ExtensionNode,
    HashNode,
    LeafNode,
    Node,
    hash_nodes,
)
from hexary.trie.reshaping import fork, prolong
from hexary.twin import adopt, twin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hexary.trie.input import Pairs
    from hexary.trie.node_source import NodeSource
    from hexary.typed import Hash

__all__ = ["Core", "PureCore", "hash_cores"]

_Step = tuple[Node, int]
"""A node on the way down, and the nibble taken (-1 through an extension)."""

_THROUGH = -1


class PureCore:
    """
    An ordered map from byte keys to byte values that knows its root hash.

    It takes plain bytes and checks nothing: `hexary.trie.Trie` is the door.  A value is
    one byte or more.

    A node that is needed and not available is a `MissingNodeError`; the core is then as
    it was before.

    Attributes:
        root: the top node, ``None`` for the empty trie.
        source: what has the nodes behind hashes, ``None`` if nothing has.
    """

    __slots__ = ("root", "source")

    root: Node | None
    source: NodeSource | None

    def __init__(
        self, root: Node | None = None, source: NodeSource | None = None
    ) -> None:
        self.root = root
        self.source = source

    @property
    def is_empty(self) -> bool:
        """Whether there is no key."""
        return self.root is None

    @property
    def is_settled(self) -> bool:
        """Whether no node is in memory: there is none, or only the root's hash."""
        return self.root is None or isinstance(self.root, HashNode)

    def copy(self) -> PureCore:
        """Return an independent core with the same content, in constant time."""
        return PureCore(self.root, self.source)

    def __copy__(self) -> PureCore:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> PureCore:
        # Nodes are immutable, and may be too deep to walk recursively.
        return self.copy()

    def opened(self, node: Node, path: bytes | memoryview) -> Node:
        """
        Return *node*, or for a `HashNode` the node that it stands for.

        Args:
            node: a node of this trie.
            path: nibbles from the root to it.

        Raises:
            MissingNodeError: if it is not available.
        """
        if not isinstance(node, HashNode):
            return node
        if self.source is None:
            raise MissingNodeError(node.reference, path)
        return self.source.node(node.reference, path)

    def root_hash(self) -> Hash:
        """Return the root hash; only nodes changed since the last call are hashed."""
        return EMPTY_ROOT if self.root is None else self.root.hash

    def get(self, key: bytes) -> bytes | None:
        """Return the value at *key*, ``None`` if it is absent."""
        path = unpack(key)
        at = 0
        node = self.root
        while node is not None:
            if isinstance(node, BranchNode):
                if at == len(path):
                    return node.value or None
                node = node.slots[path[at]]
                at += 1
            elif isinstance(node, LeafNode):
                return node.value if path[at:] == node.path else None
            elif isinstance(node, ExtensionNode) and path.startswith(node.path, at):
                at += len(node.path)
                node = self._branch_below(node, memoryview(path)[:at])
            elif isinstance(node, HashNode):
                node = self.opened(node, memoryview(path)[:at])
            else:
                return None
        return None

    def set(self, key: bytes, value: bytes) -> bool:
        """Put *value* at *key*; return whether the key is new."""
        path = unpack(key)
        at = 0
        node = self.root
        steps: list[_Step] = []
        added = True
        while True:
            if node is None:
                changed: Node = LeafNode(path[at:], value)
                break
            if isinstance(node, BranchNode):
                if at == len(path):
                    added = not node.value
                    changed = BranchNode(node.slots, value)
                    break
                nibble = path[at]
                steps.append((node, nibble))
                node = node.slots[nibble]
                at += 1
                continue
            if isinstance(node, HashNode):
                node = self.opened(node, memoryview(path)[:at])
                continue
            own = node.path  # type: ignore[attr-defined]  # a leaf or an extension
            # Not of path[at:], which would copy the rest of a long key at every step.
            shared = common_prefix_length(own, path, at)
            if shared == len(own):
                if isinstance(node, ExtensionNode):
                    steps.append((node, _THROUGH))
                    at += shared
                    node = self._branch_below(node, memoryview(path)[:at])
                    continue
                if shared == len(path) - at:
                    added = False
                    changed = LeafNode(own, value)
                    break
            changed = fork(node, path[at:], shared, value)
            break
        # Nothing above a changed node collapses, so its path does not matter.
        self._replace(steps, changed, b"")
        return added

    def update(self, pairs: Pairs) -> int | None:  # noqa: ARG002  # native reads them
        """
        Put in all *pairs*, in their order, and return by how many keys there are more.

        ``None`` says that nothing was done: it is for the caller to go through them.
        The native core does at once what it can, of a mapping, a list or a tuple.
        """
        return None

    def delete(self, key: bytes) -> bool:
        """Remove *key*; return whether it was there."""
        path = unpack(key)
        at = 0
        node = self.root
        steps: list[_Step] = []
        changed: Node | None = None
        while True:
            if node is None:
                return False
            if isinstance(node, BranchNode):
                if at == len(path):
                    if not node.value:
                        return False
                    changed = self._collapse(node.slots, b"", path)
                    break
                nibble = path[at]
                steps.append((node, nibble))
                node = node.slots[nibble]
                at += 1
            elif isinstance(node, LeafNode):
                if path[at:] != node.path:
                    return False
                break
            elif isinstance(node, ExtensionNode) and path.startswith(node.path, at):
                steps.append((node, _THROUGH))
                at += len(node.path)
                node = self._branch_below(node, memoryview(path)[:at])
            elif isinstance(node, HashNode):
                node = self.opened(node, memoryview(path)[:at])
            else:
                return False
        self._replace(steps, changed, path[:at])
        return True

    def items(
        self,
        *,
        prefix: bytes = b"",
        start: bytes | None = None,
        stop: bytes | None = None,
        reverse: bool = False,
    ) -> Iterator[tuple[bytes, bytes]]:
        """
        Iterate over keys and values in key order, or backwards, of the trie as it is.

        Args:
            prefix: only keys that begin with it.
            start: only keys from this one on.
            stop: only keys before this one.
            reverse: whether the largest key comes first.
        """
        head = unpack(prefix)
        low = unpack(start) if start is not None else b""
        high = unpack(stop) if stop is not None else None
        # The root is taken here, not where a generator would begin: at the first item.
        return self.copy()._walk(head, low, high, reverse=reverse)

    def node_at(self, path: bytes) -> Node | None:
        """
        Return the node that stands exactly at *path*, ``None`` if none does.

        Args:
            path: nibbles from the root.
        """
        at = 0
        node = self.root
        while node is not None:
            node = self.opened(node, memoryview(path)[:at])
            if at == len(path):
                return node
            if isinstance(node, BranchNode):
                node = node.slots[path[at]]
                at += 1
            elif isinstance(node, ExtensionNode) and path.startswith(node.path, at):
                at += len(node.path)
                node = self._branch_below(node, memoryview(path)[:at])
            else:
                return None
        return None

    def proof(self, keys: Iterable[bytes]) -> list[bytes]:
        """
        Return the encoded nodes on the ways to *keys*, each once.

        The root comes first, and every node after its parent; nodes that their parents
        embed are left out.
        """
        self.root_hash()  # and with it the references of all nodes in memory
        found: dict[bytes, None] = {}
        for key in keys:
            path = unpack(key)
            at = 0
            above = None
            node = self.root
            while node is not None:
                node = self.opened(node, memoryview(path)[:at])
                if above is None or not node.is_embedded:
                    found[node.encoding] = None
                above = node
                if isinstance(node, BranchNode) and at < len(path):
                    node = node.slots[path[at]]
                    at += 1
                elif isinstance(node, ExtensionNode) and path.startswith(node.path, at):
                    at += len(node.path)
                    node = self._branch_below(node, memoryview(path)[:at])
                else:
                    break
        return list(found)

    def new_nodes(self) -> list[tuple[bytes, bytes]]:
        """
        Return the hash and the encoding of each node that is new since the last commit.

        The deepest level comes first and the root last; nodes that their parents embed
        are left out, except the root.
        """
        if self.root is None or isinstance(self.root, HashNode):
            return []
        digest = self.root.hash  # and with it the hashes of all nodes below
        levels: list[list[Node]] = [[self.root]]
        while levels[-1]:
            levels.append(
                [
                    child
                    for parent in levels[-1]
                    for child in parent.children()
                    # Nothing below an embedded node is stored by itself.
                    if not isinstance(child, HashNode) and not child.is_embedded
                ]
            )
        found = {
            node.reference: node.encoding
            for level in reversed(levels[1:])
            for node in level
        }
        found[digest] = self.root.encoding
        return list(found.items())

    def settle(self) -> None:
        """Forget the nodes in memory, all of which are in the source by now."""
        if self.root is not None:
            self.root = HashNode(self.root.hash)

    def _walk(
        self, head: bytes, low: bytes, high: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        """
        Yield keys and values in key order, or backwards.

        Args:
            head: the path that all keys begin with.
            low: the smallest path.
            high: the path before which all keys are, ``None`` for no bound.
            reverse: whether the largest key comes first.
        """
        stack: list[tuple[Node, bytes]] = []
        if self.root is not None:
            stack.append((self.root, b""))
        while stack:
            node, path = stack.pop()
            if isinstance(node, (LeafNode, ExtensionNode)):
                path += node.path
            # All keys of a subtree begin with its path: leave out those wholly before
            # *low*, at or after *high*, or beside the prefix.
            if path < low and not low.startswith(path):
                continue
            if high is not None and path >= high:
                continue
            if not (path.startswith(head) or head.startswith(path)):
                continue
            if isinstance(node, HashNode):
                stack.append((self.opened(node, path), path))
            elif isinstance(node, ExtensionNode):
                stack.append((self._branch_below(node, path), path))
            elif isinstance(node, BranchNode):
                # The key that ends here comes before all that go on.
                below: list[tuple[Node, bytes]] = []
                if node.value:
                    below.append((LeafNode(b"", node.value), path))
                below += [
                    (child, path + bytes((nibble,)))
                    for nibble, child in enumerate(node.slots)
                    if child is not None
                ]
                stack.extend(below if reverse else reversed(below))
            elif isinstance(node, LeafNode) and path >= low and path.startswith(head):
                yield key_at(path), node.value

    def _branch_below(self, node: ExtensionNode, path: bytes | memoryview) -> Node:
        """
        Return the branch below an extension, which a source may not really have.

        Args:
            node: the extension.
            path: nibbles from the root to the branch.
        """
        child = self.opened(node.child, path)
        if not isinstance(child, BranchNode):
            _refuse_child(node.child.reference, path)
        return child

    def _replace(self, steps: list[_Step], changed: Node | None, path: bytes) -> None:
        """
        Build the nodes above *changed*, along *steps*, up to a new root.

        Args:
            steps: the way down from the root.
            changed: what stands at its end now, ``None`` if nothing does.
            path: the nibbles of the way; needed only where nodes may collapse.
        """
        at = len(path)
        for node, nibble in reversed(steps):
            if isinstance(node, ExtensionNode):
                # An extension leads to a branch, and no single change empties one.
                changed = prolong(node.path, changed)  # type: ignore[arg-type]  # see above
                at -= len(node.path)
            elif isinstance(node, BranchNode):
                slots = (*node.slots[:nibble], changed, *node.slots[nibble + 1 :])
                at -= 1
                if changed is None:
                    changed = self._collapse(slots, node.value, path[:at])
                else:
                    changed = BranchNode(slots, node.value)
        self.root = changed

    def _collapse(
        self, slots: Sequence[Node | None], value: bytes, path: bytes
    ) -> Node | None:
        """
        Return the node for what is left of a branch: a branch only if two are left.

        Args:
            slots: the children, those that are left.
            value: the value at the branch, ``b""`` if there is none.
            path: nibbles from the root to the branch.
        """
        present = [nibble for nibble, child in enumerate(slots) if child is not None]
        if len(present) + (value != b"") > 1:
            return BranchNode(slots, value)
        if value:
            return LeafNode(b"", value)
        step = bytes((present[0],))
        child = slots[present[0]]
        if isinstance(child, HashNode):
            # A leaf or an extension takes up the nibble; above a branch it becomes an
            # extension, and the branch stays behind its hash.
            kind = self.opened(child, path + step)
            if not isinstance(kind, BranchNode):
                child = kind
        return prolong(step, child)  # type: ignore[arg-type]  # it is present


def _refuse_child(digest: bytes, path: bytes | memoryview) -> NoReturn:
    """Raise the error for a node below an extension that is no branch."""
    raise NodeError(NodeReason.EXTENSION_CHILD_NOT_BRANCH, node_hash=digest, path=path)


Core = twin(PureCore)


@twin
def hash_cores(cores: list[PureCore]) -> None:
    """
    Hash what changed in several tries, all of them together, a level at a time.

    Example:
        >>> core = Core()
        >>> core.set(b"do", b"verb")
        True
        >>> hash_cores([core])
    """
    hash_nodes(core.root for core in cores if core.root is not None)


def _restored(root: Node | None, source: NodeSource | None, pairs: Pairs) -> PureCore:
    """Return a core with these pairs, over what is in the source already."""
    core = Core(root, source)
    for key, value in dict(pairs).items():
        core.set(key, value)
    return core


def _reduced(core: PureCore) -> tuple[Any, ...]:
    """Pickle what a core has in memory: the pairs, since nodes hold others by hash."""
    if core.is_settled:
        return _restored, (core.root, core.source, ())
    return _restored, (None, core.source, list(core.items()))


for _kind in {Core, PureCore}:
    copyreg.pickle(_kind, _reduced)
adopt(key_at=key_at, missing_node=MissingNodeError, refuse_child=_refuse_child)
