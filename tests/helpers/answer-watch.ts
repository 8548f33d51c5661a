// AnswerWatch: every answer that HTTP servers of this process give, as it goes out, held against its contract
// (answer-check.ts). Nothing of the servers is changed: Node tells of every request.
//
//   const answers = watchAnswers();
//   …
//   answers.stop();      throws what was off its contract

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import { problemsOf, type Heard } from "./answer-check.ts";

const CHANNEL = "http.server.request.start";

export interface AnswerWatch {
  readonly checked: () => number;
  stop(): void;
}

export function watchAnswers(
  told: (heard: Heard, problems: readonly string[]) => void = () => {},
): AnswerWatch {
  const wrong: string[] = [];
  let checked = 0;
  const listen = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    hear(request, response, (heard) => {
      const problems = problemsOf(heard);
      if (problems === undefined) return;
      checked += 1;
      wrong.push(...problems);
      told(heard, problems);
    });
  };
  subscribe(CHANNEL, listen);
  return {
    checked: () => checked,
    stop() {
      unsubscribe(CHANNEL, listen);
      if (wrong.length > 0) throw new Error(`off the contract:\n${wrong.join("\n")}`);
    },
  };
}

function hear(
  request: IncomingMessage,
  response: ServerResponse,
  whenOver: (heard: Heard) => void,
): void {
  const pieces: Buffer[] = [];
  const keep = (piece: unknown) => {
    if (typeof piece === "string") pieces.push(Buffer.from(piece));
    else if (piece instanceof Uint8Array) pieces.push(Buffer.from(piece));
  };
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  const writeHead = response.writeHead.bind(response);
  let type: string | null | undefined;
  // Headers that are given here are asked for nowhere else.
  response.writeHead = ((...given: Parameters<typeof writeHead>) => {
    const headers: unknown = given.at(-1);
    if (typeof headers === "object" && headers !== null)
      type = new Headers(headers as Record<string, string>).get("content-type");
    return writeHead(...given);
  }) as typeof writeHead;
  response.write = ((...given: Parameters<typeof write>) => {
    keep(given[0]);
    return write(...given);
  }) as typeof write;
  response.end = ((...given: Parameters<typeof end>) => {
    keep(given[0]);
    return end(...given);
  }) as typeof end;
  response.once("close", () =>
    whenOver({
      method: request.method ?? "",
      url: request.url ?? "",
      status: response.statusCode,
      type: type ?? [response.getHeader("content-type") ?? ""].join(""),
      text: Buffer.concat(pieces).toString("utf8"),
      isCut: !response.writableFinished || !response.headersSent,
    }),
  );
}
