// The lines of a stream of bytes, each as soon as it is whole.

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
