// Proofs of @ethereumjs/mpt: reads one JSON object from standard input, writes one.
//
// in:  {secure, pairs: [[key, value]], keys: [key], proofs: [[node]],
//       ranges: [{start, keys, values, nodes}]}             all byte strings as hex
// out: {root, proofs: [[node]], values: [value | null | "error: …"],
//       ranges: [has more | "error: …"]}

import {
  createMerkleProof,
  createMPT,
  verifyMerkleRangeProof,
  verifyMPTWithMerkleProof,
} from '@ethereumjs/mpt'
import { bytesToHex, hexToBytes } from '@ethereumjs/util'

const bytes = (text) => hexToBytes('0x' + text)
const hex = (data) => bytesToHex(data).slice(2)

const chunks = []
for await (const chunk of process.stdin) chunks.push(chunk)
const input = JSON.parse(Buffer.concat(chunks).toString())

const trie = await createMPT({ useKeyHashing: input.secure })
for (const [key, value] of input.pairs) await trie.put(bytes(key), bytes(value))

const proofs = []
for (const key of input.keys) {
  proofs.push((await createMerkleProof(trie, bytes(key))).map(hex))
}

const values = []
for (const [index, key] of input.keys.entries()) {
  try {
    const nodes = input.proofs[index].map(bytes)
    const found = await verifyMPTWithMerkleProof(trie, trie.root(), bytes(key), nodes)
    values.push(found === null ? null : hex(found))
  } catch (error) {
    values.push('error: ' + error.message)
  }
}

const ranges = []
for (const { start, keys, values: contents, nodes } of input.ranges) {
  try {
    ranges.push(
      await verifyMerkleRangeProof(
        trie.root(),
        bytes(start),
        bytes(keys.at(-1) ?? start),
        keys.map(bytes),
        contents.map(bytes),
        nodes.map(bytes),
      ),
    )
  } catch (error) {
    ranges.push('error: ' + error.message)
  }
}

process.stdout.write(JSON.stringify({ root: hex(trie.root()), proofs, values, ranges }))
