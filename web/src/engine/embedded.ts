// What `attune page` has put into the page: Base64 of zlib's deflate.
import { BadData } from "../data";
import type { EngineFile } from "./messages";

const CHARACTERS = 1 << 18; // decoded at a time; four of them are three bytes

function bytesOf(base64: string): Uint8Array {
  const binary = atob(base64), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// `progress`: the share that has been read, from 0 to 1.
export async function unpack(base64: string, progress: (share: number) => void): Promise<Uint8Array> {
  const stream = new DecompressionStream("deflate"), writer = stream.writable.getWriter();
  const feeding = (async () => {
    for (let at = 0; at < base64.length; at += CHARACTERS) {
      progress(at / base64.length);
      await writer.write(bytesOf(base64.slice(at, at + CHARACTERS)) as BufferSource);
    }
    await writer.close();
  })();
  feeding.catch((error) => writer.abort(error).catch(() => undefined)); // so that the other end does not wait
  const bytes = new Uint8Array(await new Response(stream.readable).arrayBuffer());
  await feeding;
  progress(1);
  return bytes;
}

export async function unpackElement(id: string, progress: (share: number) => void = () => undefined): Promise<Uint8Array | null> {
  const text = document.getElementById(id)?.textContent?.replace(/\s+/g, "");
  if (text === undefined) return null;
  try {
    return await unpack(text, progress);
  } catch {
    throw new BadData(`${id} in this page is damaged`);
  }
}

// A length in 4 bytes, the low one first; so many bytes of JSON with each file's path and length; the files one after another.
export function filesOf(bytes: Uint8Array): EngineFile[] {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const table: { path: string; bytes: number }[] = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  let at = 4 + length;
  const files = table.map(({ path, bytes: count }) => ({ path, bytes: bytes.slice(at, (at += count)) }));
  if (at !== bytes.length) throw new BadData(`the models in this page have ${bytes.length} bytes, but ${at} were expected`);
  return files;
}
