// SSE: frames on their way to a client, at its pace.
//
// SSE-1  For who stops reading no frame is made any more.
// SSE-2  While nothing is said a comment says that the stream lives.

const BEAT_MS = 15_000;
const BEAT = ": alive\n\n";

export const frame = (data: unknown, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

export function sseResponse(
  frames: AsyncGenerator<string>,
  headers: Record<string, string>,
): Response {
  const encoder = new TextEncoder();
  let beating: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        beating = setInterval(() => controller.enqueue(encoder.encode(BEAT)), BEAT_MS); // SSE-2
      },
      async pull(controller) {
        let isOver = true;
        try {
          const { done, value } = await frames.next();
          isOver = done === true;
          if (isOver) controller.close();
          else controller.enqueue(encoder.encode(value));
        } finally {
          if (isOver) clearInterval(beating);
        }
      },
      async cancel() {
        clearInterval(beating);
        await frames.return(undefined); // SSE-1
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      ...headers,
    },
  });
}
