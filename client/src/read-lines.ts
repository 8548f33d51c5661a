// Splits a byte stream into lines and yields each line when it is complete.

export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held = "";
  for await (const piece of bytes) {
    held += decoder.decode(piece, { stream: true });
    const lines = held.split("\n");
    held = lines.pop() ?? "";
    yield* lines.filter((line) => line !== "");
  }
  if (held !== "") yield held;
}
