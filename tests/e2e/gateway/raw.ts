// A request byte for byte, as no well-behaved client sends it.

import { connect } from "node:net";

/** What came back until the other side hung up. */
export function rawRequest(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.setEncoding("utf8").on("data", (piece: string) => (answer += piece));
    socket.once("error", reject);
    socket.once("close", () => resolve(answer));
    socket.write(text);
  });
}

export const statusOf = (answer: string): number => Number(answer.split(" ", 2)[1]);
