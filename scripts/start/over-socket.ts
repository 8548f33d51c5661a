// OverSocket: the client's way to a daemon of the same user.

import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { createClient, type Client } from "@aos/client";

export const clientOver = (socketPath: string): Client =>
  createClient({
    baseUrl: "http://aos",
    fetch: async (url, { method, headers, body }) => {
      const { pathname, search } = new URL(url);
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const path = pathname + search;
        const sending = request({ socketPath, agent: false, method, path, headers }, resolve);
        sending.once("error", reject);
        sending.end(body);
      });
      return { status: answer.statusCode ?? 0, text: () => text(answer), body: answer };
    },
  });
