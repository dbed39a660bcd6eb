import assert from "node:assert/strict";
import { test } from "node:test";
import { fuse } from "../src/engine/fused";

const GET = (i: number) => [0x20, i], TEE = (i: number) => [0x22, i], MULTIPLY = [0xfd, 0xe6, 0x01], ADD = [0xfd, 0xe4, 0x01];
const ONES = [0xfd, 0x0c, ...Array.from({ length: 4 }, () => [0, 0, 0x80, 0x3f]).flat()];
const FUSED = [0xfd, 0x85, 0x02], NOTHING = [1, 1, 1];

// (func (param v128 v128 v128) (result v128) ...)
function moduleOf(...code: number[][]): Uint8Array {
  const body = [0, ...code.flat(), 0x0b];
  return Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 8, 1, 0x60, 3, 0x7b, 0x7b, 0x7b, 1, 0x7b, 3, 2, 1, 0, 10, body.length + 2, 1, body.length, ...body);
}

for (const [name, sum] of Object.entries({ variable: GET(2), constant: ONES, "constant that is kept": [...ONES, ...TEE(2)] }))
  test(`a product and its sum with a ${name} become one instruction of the same length`, () => {
    const bytes = moduleOf(GET(0), GET(1), MULTIPLY, sum, ADD);
    assert.ok(WebAssembly.validate(bytes as BufferSource));
    assert.equal(fuse(bytes), 1);
    assert.deepEqual(bytes, moduleOf(GET(0), GET(1), NOTHING, sum, FUSED));
  });

test("what is between a product and a sum is left as it is", () => {
  for (const code of [[GET(0), GET(1), MULTIPLY, GET(2), GET(2), ADD, ADD], [GET(0), GET(1), MULTIPLY, ONES, MULTIPLY]]) {
    const bytes = moduleOf(...code);
    assert.ok(WebAssembly.validate(bytes as BufferSource));
    assert.equal(fuse(bytes), 0);
    assert.deepEqual(bytes, moduleOf(...code));
  }
});
