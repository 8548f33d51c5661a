// JSON lines: checks Ollama's stream on the way. Its package skips a line that it cannot parse, and a piece of the
// answer would be missing.

import { SysError } from "@aos/protocol";

export function checkedLines(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let rest = "";
  const check = (line: string): void => {
    if (line.trim() === "") return;
    try {
      JSON.parse(line);
    } catch {
      throw new SysError("EUPSTREAM", "a line of the answer is not JSON", {
        detail: { transient: true },
      });
    }
  };
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop()!;
      lines.forEach(check);
      controller.enqueue(chunk);
    },
    flush: () => check(rest + decoder.decode()),
  });
}
