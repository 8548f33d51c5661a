// RequestBytes: the bytes of a request from somebody who is not known yet, up to a limit.

import { SysError } from "@aos/protocol";

/** Undefined where there are more. */
export async function requestBytes(
  request: Request,
  most: number,
): Promise<Uint8Array | undefined> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > most) return undefined;
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of request.body ?? []) {
    bytes += part.length;
    if (bytes > most) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** JSON where it is JSON, else text. */
export function bodyValue(body: Uint8Array): unknown {
  const text = new TextDecoder().decode(body);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export const tooLarge = (most: number): SysError =>
  new SysError("EINVAL", `the body is larger than ${most} bytes`);
