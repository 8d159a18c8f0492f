// What @ethereumjs/mpt does in the benchmarks: a request a line, an answer a line.
//
// {do: "build", pairs: [[key, value]]}                     -> the root
// {do: "keep", name, keys, proofs, nodes, range}           -> "kept"
// {do: "make" | "verify" | "many" | "range", name}         -> a number that was found
//
// All byte strings are hex. What is kept is decoded once, so that a request that is
// timed has nothing but its work to do.

import {
  createMerkleProof,
  createMPT,
  updateMPTFromMerkleProof,
  verifyMerkleRangeProof,
  verifyMPTWithMerkleProof,
} from '@ethereumjs/mpt'
import { bytesToHex, hexToBytes } from '@ethereumjs/util'
import { createInterface } from 'node:readline'

const bytes = (text) => hexToBytes('0x' + text)
const trie = await createMPT()
const kept = {}

const actions = {
  async build({ pairs }) {
    for (const [key, value] of pairs) await trie.put(bytes(key), bytes(value))
    return bytesToHex(trie.root())
  },
  async keep({ name, keys, proofs, nodes, range }) {
    kept[name] = {
      keys: keys?.map(bytes),
      proofs: proofs?.map((nodes) => nodes.map(bytes)),
      nodes: nodes?.map(bytes),
      range: range && {
        start: bytes(range.start),
        keys: range.keys.map(bytes),
        values: range.values.map(bytes),
      },
    }
    return 'kept'
  },
  async make({ name }) {
    let size = 0
    for (const key of kept[name].keys) size += (await createMerkleProof(trie, key)).length
    return size
  },
  async verify({ name }) {
    const { keys, proofs } = kept[name]
    let found = 0
    for (const [index, key] of keys.entries()) {
      const value = await verifyMPTWithMerkleProof(trie, trie.root(), key, proofs[index])
      if (value !== null) found++
    }
    return found
  },
  async many({ name }) {
    const { keys, nodes } = kept[name]
    const part = await createMPT({ root: trie.root() })
    await updateMPTFromMerkleProof(part, nodes, true)
    let found = 0
    for (const key of keys) if ((await part.get(key, true)) !== null) found++
    return found
  },
  async range({ name }) {
    const { nodes, range } = kept[name]
    const { start, keys, values } = range
    const more = await verifyMerkleRangeProof(
      trie.root(), start, keys.at(-1), keys, values, nodes,
    )
    return more ? 1 : 0
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  const answer = await actions[request.do](request)
  process.stdout.write(JSON.stringify(answer) + '\n')
}
