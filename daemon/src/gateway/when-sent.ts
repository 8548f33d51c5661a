// WhenSent: reports when the last byte of an answer was taken, or when the reader is gone.

/** The same answer; `done` is called once, at its pace: nothing is read ahead. */
export function whenSent(response: Response, done: () => void): Response {
  if (response.body === null) {
    done();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let isOver = true;
        try {
          const { done: isEnd, value } = await reader.read();
          isOver = isEnd;
          if (isEnd) controller.close();
          else controller.enqueue(value);
        } finally {
          if (isOver) done();
        }
      },
      async cancel(reason) {
        done();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
