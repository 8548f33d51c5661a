// App: the HTTP API, one route for each operation.

import {
  API_ROOT,
  MAX_BODY_BYTES,
  operationNames,
  operations,
  routes,
  type OperationName,
  type Route,
} from "@aos/protocol";
import { Hono, type Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { answers, type Desk } from "./answers.ts";
import { failureOf, problemResponse } from "./problem.ts";
import { readRequest } from "./read-request.ts";

export function createApp(desk: Desk): Hono {
  const app = new Hono();
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: tooLarge }));
  for (const name of operationNames) {
    const { method, path } = routes[name];
    app.on(method, API_ROOT + path, (context) => respond(desk, name, context));
  }
  app.notFound(({ req }) =>
    problemResponse({
      code: "ENOENT",
      message: `there is no ${req.method} ${req.path}`,
      hint: `operations are below ${API_ROOT}, e.g. GET ${API_ROOT}/status`,
    }),
  );
  app.onError((error) => problemResponse(failureOf(error, desk.onMistake)));
  return app;
}

async function respond(desk: Desk, name: OperationName, context: Context): Promise<Response> {
  const route: Route = routes[name];
  const args = await readRequest(operations[name], context.req);
  const signal = AbortSignal.any([context.req.raw.signal, desk.closing]);
  // The row has just checked these arguments; the compiler cannot follow a name that is not known.
  const answer = answers[name] as (desk: Desk, args: unknown, caller: object) => Promise<unknown>;
  const answered = await answer(desk, args, { signal });
  return route.streams
    ? lines(answered as AsyncIterable<unknown>, desk)
    : Response.json(answered ?? null);
}

function lines(values: AsyncIterable<unknown>, desk: Desk): Response {
  const encoder = new TextEncoder();
  const encode = (value: unknown) => encoder.encode(`${JSON.stringify(value)}\n`);
  async function* encoded() {
    try {
      for await (const value of values) yield encode(value);
    } catch (error) {
      yield encode({ error: failureOf(error, desk.onMistake) });
    }
  }
  return new Response(ReadableStream.from(encoded()), {
    headers: { "content-type": "application/x-ndjson", "cache-control": "no-store" },
  });
}

const tooLarge = () =>
  problemResponse(
    { code: "EINVAL", message: `the body is larger than ${MAX_BODY_BYTES} bytes` },
    413,
  );
