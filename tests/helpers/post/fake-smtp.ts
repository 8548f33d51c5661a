// A fake mail server for tests: EHLO, STARTTLS, AUTH PLAIN and LOGIN, MAIL, RCPT, DATA, QUIT. It keeps what it is given.

import { createServer, type AddressInfo, type Socket } from "node:net";
import { TLSSocket } from "node:tls";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly isSecure: boolean;
  /** With the dots of the protocol taken out. */
  readonly text: string;
}

export interface FakeSmtp {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** Every line that a client said, with `tls ` before those within TLS. */
  readonly lines: string[];
  /** Replies in place of the usual ones, by the first word of what was said; each is used once. */
  readonly replies: Map<string, string>;
  close(): Promise<void>;
}

export interface FakeSmtpOptions {
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly auth?: { readonly way: "PLAIN" | "LOGIN"; readonly user: string; readonly pass: string };
}

export async function startFakeSmtp(options: FakeSmtpOptions = {}): Promise<FakeSmtp> {
  const mails: ReceivedMail[] = [];
  const lines: string[] = [];
  const replies = new Map<string, string>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.write("220 fake ESMTP\r\n");
    serve(socket, false);
  });

  function serve(socket: Socket, isSecure: boolean): void {
    let text = "";
    let from = "";
    let to: string[] = [];
    let user: string | undefined;
    let state: "command" | "data" | "user" | "password" = "command";
    let named = "";
    const say = (line: string) => socket.write(`${line}\r\n`);
    const check = (name: string, pass: string) => {
      const isRight = name === options.auth?.user && pass === options.auth.pass;
      user = isRight ? name : undefined;
      say(isRight ? "235 welcome" : "535 wrong");
    };
    const take = (line: string): void => {
      lines.push(`${isSecure ? "tls " : ""}${line}`);
      const word = line.split(/[ :]/, 1)[0]!.toUpperCase();
      const decoded = Buffer.from(line, "base64").toString();
      if (state === "user") {
        named = decoded;
        state = "password";
        return void say("334 UGFzc3dvcmQ6");
      }
      if (state === "password") {
        state = "command";
        return check(named, decoded);
      }
      const odd = replies.get(word);
      if (odd !== undefined) {
        replies.delete(word);
        return void say(odd);
      }
      if (word === "EHLO") {
        say("250-fake");
        if (options.tls !== undefined && !isSecure) say("250-STARTTLS");
        if (options.auth !== undefined && (isSecure || options.tls === undefined))
          say(`250-AUTH ${options.auth.way}`);
        return void say("250 SIZE 1000000");
      }
      if (word === "STARTTLS") {
        say("220 go on");
        socket.removeAllListeners("data");
        const secure = new TLSSocket(socket, { isServer: true, ...options.tls });
        secure.on("error", () => {});
        serve(secure, true);
        return;
      }
      if (word === "AUTH") {
        if (/^AUTH PLAIN /i.test(line)) {
          const [, name = "", pass = ""] = Buffer.from(line.slice(11), "base64")
            .toString()
            .split("\0");
          return check(name, pass);
        }
        state = "user";
        return void say("334 VXNlcm5hbWU6");
      }
      if (word === "MAIL") from = line;
      if (word === "RCPT") to = [...to, line];
      if (word === "DATA") {
        state = "data";
        return void say("354 go on");
      }
      if (word === "QUIT") return void socket.end("221 bye\r\n");
      say("250 ok");
    };
    socket.on("data", (data: Buffer) => {
      text += data.toString("utf8");
      for (;;) {
        if (state === "data") {
          const end = text.indexOf("\r\n.\r\n");
          if (end < 0) return;
          const mail = text.slice(0, end).replaceAll(/^\.\./gm, ".");
          text = text.slice(end + 5);
          state = "command";
          const odd = replies.get("BODY");
          replies.delete("BODY");
          if (odd === undefined) mails.push({ from, to, user, isSecure, text: mail });
          say(odd ?? "250 taken");
          to = [];
          continue;
        }
        const end = text.indexOf("\r\n");
        if (end < 0) return;
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        take(line);
      }
    });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    mails,
    lines,
    replies,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
