// SecretKey: 32 bytes that seal the values of secrets, and an id by which a row says which key it
// was sealed with.
//
// The id is derived from the key by a one-way function.

import { createHmac } from "node:crypto";
import { SysError } from "@aos/protocol";

export const SECRET_KEY_BYTES = 32;
/** Where a key may come from instead of the file. */
export const KEY_VARIABLE = "AOS_SECRET_KEY";

export interface SecretKey {
  readonly id: string;
  readonly bytes: Buffer;
}

export function secretKey(bytes: Uint8Array): SecretKey {
  if (bytes.length !== SECRET_KEY_BYTES)
    throw new SysError(
      "EINVAL",
      `a key for secrets has ${SECRET_KEY_BYTES} bytes, not ${bytes.length}`,
    );
  const own = Buffer.from(bytes);
  return {
    id: createHmac("sha256", own).update("aos secret key").digest("hex").slice(0, 16),
    bytes: own,
  };
}

/** Of hex or base64, as in an environment variable. The text itself is in no message. */
export function parseSecretKey(text: string): SecretKey {
  const written = text.trim();
  if (/^[0-9a-f]{64}$/i.test(written)) return secretKey(Buffer.from(written, "hex"));
  const bytes = Buffer.from(written, "base64");
  const canonical = bytes.toString("base64").replace(/=+$/, "");
  const given = written.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  if (bytes.length !== SECRET_KEY_BYTES || canonical !== given)
    throw new SysError(
      "EINVAL",
      `${KEY_VARIABLE} is not ${SECRET_KEY_BYTES} bytes in hex or base64`,
    );
  return secretKey(bytes);
}
