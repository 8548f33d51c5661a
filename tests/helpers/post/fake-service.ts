// A fake web service for tests: it keeps what it is sent, and answers as it is told.
//
//   const slack = await startFakeService();
//   slack.answers.push({ status: 429, headers: { "retry-after": "7" } });   the next; then 200
//   slack.received[0].body

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export interface ServiceAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

export interface FakeService {
  readonly url: string;
  readonly received: ReceivedRequest[];
  readonly answers: ServiceAnswer[];
  /** Where nothing waits in `answers`. */
  usual: (request: ReceivedRequest) => ServiceAnswer | Promise<ServiceAnswer>;
  close(): Promise<void>;
}

export async function startFakeService(): Promise<FakeService> {
  const received: ReceivedRequest[] = [];
  const answers: ServiceAnswer[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const text = Buffer.concat(parts).toString("utf8");
      const { method = "", url = "", headers } = request;
      const body = (text.startsWith("{") ? JSON.parse(text) : {}) as Record<string, unknown>;
      const got = { method, path: url, headers, text, body };
      received.push(got);
      const answer = answers.shift() ?? (await service.usual(got));
      response.writeHead(answer.status ?? 200, {
        "content-type": "application/json",
        ...answer.headers,
      });
      response.end(JSON.stringify(answer.body ?? { ok: true, result: {} }));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const service: FakeService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers,
    usual: () => ({}),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return service;
}
