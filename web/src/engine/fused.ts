// Where the browser multiplies and adds in one instruction, the engine's products use it: about a third faster.
//
// Not all browsers have "relaxed SIMD", and a module with an instruction that one does not know is refused as a whole. So
// the engine comes with two instructions (ops/simd-inl.h, AddProduct):   x  y  f32x4.mul  local.get sum  f32x4.add
// which are, byte for byte, as long as:                                  x  y  nop nop nop  local.get sum  f32x4.relaxed_madd
// The sum may be a constant instead, as in polynomials.
const PREFIX = 0xfd, MULTIPLY = 0xe6, ADD = 0xe4, CONSTANT = 0x0c, NOP = 0x01, LOCAL_GET = 0x20, LOCAL_TEE = 0x22, CODE_SECTION = 10;
const RELAXED_MADD = [0x85, 0x02];

// (func (param v128 v128 v128) (result v128) local.get 0 local.get 1 local.get 2 f32x4.relaxed_madd)
const WITH_FUSED = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 8, 1, 0x60, 3, 0x7b, 0x7b, 0x7b, 1, 0x7b],
  ...[3, 2, 1, 0],
  ...[10, 13, 1, 11, 0, LOCAL_GET, 0, LOCAL_GET, 1, LOCAL_GET, 2, PREFIX, ...RELAXED_MADD, 0x0b],
);

const canFuse = (): boolean => WebAssembly.validate(WITH_FUSED);

// The number at a place, and where it ends (LEB128).
function numberAt(bytes: Uint8Array, at: number): [number, number] {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, at];
  }
}

function codeOf(bytes: Uint8Array): [number, number] {
  for (let at = 8; at < bytes.length; ) {
    const [size, begin] = numberAt(bytes, at + 1);
    if (bytes[at] === CODE_SECTION) return [begin, begin + size];
    at = begin + size;
  }
  return [0, 0];
}

// Where the instruction ends that brings the sum; -1 if it is another one. A constant may be kept for later.
function afterSum(bytes: Uint8Array, at: number): number {
  if (bytes[at] === LOCAL_GET) return numberAt(bytes, at + 1)[1];
  if (bytes[at] !== PREFIX || bytes[at + 1] !== CONSTANT) return -1;
  const end = at + 18;
  return bytes[end] === LOCAL_TEE ? numberAt(bytes, end + 1)[1] : end;
}

// Returns how many pairs have become one.
export function fuse(bytes: Uint8Array): number {
  const [begin, end] = codeOf(bytes);
  let count = 0;
  for (let at = bytes.indexOf(PREFIX, begin); at >= 0 && at < end; at = bytes.indexOf(PREFIX, at + 1)) {
    if (bytes[at + 1] !== MULTIPLY || bytes[at + 2] !== 0x01) continue;
    const next = afterSum(bytes, at + 3);
    if (next < 0 || bytes[next] !== PREFIX || bytes[next + 1] !== ADD || bytes[next + 2] !== 0x01) continue;
    bytes.fill(NOP, at, at + 3);
    bytes.set(RELAXED_MADD, next + 1);
    ++count;
  }
  return count;
}

export function compiled(bytes: Uint8Array): Promise<WebAssembly.Module> {
  if (canFuse()) fuse(bytes);
  return WebAssembly.compile(bytes as BufferSource);
}
