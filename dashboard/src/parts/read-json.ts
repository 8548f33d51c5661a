import { SysError, type Json } from "@aos/protocol/words";

/** What a person wrote as JSON; a text that is none is refused in words. */
export function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new SysError("EINVAL", "this is not JSON", {
      hint: 'a text needs quotation marks: "like this"',
    });
  }
}
