// Smtp: hands one mail to the mail server that the operator configured (RFC 5321), with TLS from the start, by
// STARTTLS, or none.
//
// SMTP-1  With `starttls` nothing but EHLO is said before TLS, and what came in the clear is forgotten. A server
//     without STARTTLS is an error, never a reason to go on in the clear.
// SMTP-2  A password goes over TLS, or to this machine itself.
// SMTP-3  A mail is sent when the server has taken its last line with 250. Refusals with 4xx are tried again.
// SMTP-4  A line of the mail that begins with a dot gets another, and line ends are CRLF.

import { connect as connectTcp, type Socket } from "node:net";
import { once } from "node:events";
import { connect as connectTls } from "node:tls";
import { SysError } from "@aos/protocol";
import { isLoopback } from "../web/address.ts";
import { checkedAddresses, resolveByMachine } from "../web/resolve.ts";
import { onlyTo, type DeliveryResult, type PostOptions } from "./http-post.ts";
import { addressIn, type MailEnvelope } from "./mail-text.ts";

export const smtpSecurities = ["starttls", "tls", "none"] as const;

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly security: (typeof smtpSecurities)[number];
  readonly user?: string;
  readonly password?: string;
  /** More authorities, in PEM. */
  readonly ca?: string;
}

const TIMEOUT_MS = 30_000;

export async function sendMail(
  mail: string,
  { from, to }: MailEnvelope,
  server: SmtpServer,
  means: PostOptions,
): Promise<DeliveryResult> {
  const signal = AbortSignal.any([
    means.signal,
    AbortSignal.timeout(means.timeoutMs ?? TIMEOUT_MS),
  ]);
  const talks = new Set<SmtpTalk>();
  const onAbort = () => talks.forEach((talk) => talk.destroy());
  signal.addEventListener("abort", onAbort);
  try {
    const plain = await reachServer(server, means, signal);
    const talk = await greeted(server, plain, talks);
    await logIn(talk, server, plain.address);
    await talk.say(`MAIL FROM:<${mailbox(from)}>`, 250);
    for (const one of to) await talk.say(`RCPT TO:<${mailbox(one)}>`, 250, 251);
    await talk.say("DATA", 354);
    await talk.say(`${stuffed(mail)}\r\n.`, 250); // SMTP-3
    talk.end();
    return { ok: true };
  } catch (error) {
    if (error instanceof SmtpRefusal)
      return { ok: false, isFinal: error.code >= 500, why: `${server.host}: ${error.message}` };
    if (error instanceof SysError && (error.code === "EACCES" || error.code === "EINVAL"))
      return { ok: false, isFinal: true, why: error.message };
    const { code, message } = error as NodeJS.ErrnoException;
    return { ok: false, isFinal: false, why: `${server.host}:${server.port}: ${code ?? message}` };
  } finally {
    signal.removeEventListener("abort", onAbort);
    onAbort();
  }
}

interface Reached {
  readonly socket: Socket;
  readonly address: string;
}

async function reachServer(
  { host, port }: SmtpServer,
  means: PostOptions,
  signal: AbortSignal,
): Promise<Reached> {
  const target = {
    host,
    port,
    path: "",
    query: "",
    scheme: "https",
    url: host,
    origin: host,
  } as const;
  const gate = { authorize: onlyTo(target, means) };
  const [address] = await checkedAddresses(target, "post", gate, resolveByMachine);
  const socket = connectTcp({ host: address!, port });
  await once(socket, "connect", { signal });
  return { socket, address: address! };
}

/** SMTP-1. */
async function greeted(
  server: SmtpServer,
  { socket }: Reached,
  talks: Set<SmtpTalk>,
): Promise<SmtpTalk> {
  const open = async (over: Socket, isGreeted: boolean) => {
    const talk = new SmtpTalk(over);
    talks.add(talk);
    if (isGreeted) await talk.reply([220]);
    talk.offers = await talk.say("EHLO localhost", 250);
    return talk;
  };
  if (server.security === "tls") return open(await secured(server, socket), true);
  const talk = await open(socket, true);
  if (server.security === "none") return talk;
  if (!talk.offers.some((line) => /^STARTTLS\b/i.test(line)))
    throw new SysError("EACCES", `${server.host} offers no STARTTLS, and nothing is said without`);
  await talk.say("STARTTLS", 220);
  talk.letGo();
  return open(await secured(server, socket), false);
}

async function secured({ host, ca }: SmtpServer, socket: Socket): Promise<Socket> {
  const isName = !/^[\d.]+$|:/.test(host);
  const tls = connectTls({
    socket,
    ...(isName ? { servername: host } : { host }),
    ...(ca === undefined ? {} : { ca }),
  });
  await once(tls, "secureConnect");
  return tls;
}

async function logIn(talk: SmtpTalk, server: SmtpServer, address: string): Promise<void> {
  const { user, password, security } = server;
  if (user === undefined || password === undefined) return;
  if (security === "none" && !isLoopback(address))
    throw new SysError("EACCES", `no password is sent to ${server.host} without TLS`); // SMTP-2
  const ways = talk.offers.find((line) => /^AUTH[ =]/i.test(line))?.toUpperCase() ?? "";
  const encode = (text: string) => Buffer.from(text).toString("base64");
  if (ways.includes("PLAIN")) {
    await talk.say(`AUTH PLAIN ${encode(`\0${user}\0${password}`)}`, 235);
    return;
  }
  if (!ways.includes("LOGIN"))
    throw new SysError("EINVAL", `${server.host} offers neither AUTH PLAIN nor AUTH LOGIN`);
  await talk.say("AUTH LOGIN", 334);
  await talk.say(encode(user), 334);
  await talk.say(encode(password), 235);
}

class SmtpRefusal extends Error {
  readonly code: number;

  constructor(code: number, text: string) {
    super(`${code} ${text}`.slice(0, 200));
    this.code = code;
  }
}

const MOST_ANSWER = 65_536;

/** Commands and their replies, one after another. */
class SmtpTalk {
  offers: readonly string[] = [];
  readonly #socket: Socket;
  #text = "";
  #waiting: { resolve: () => void; reject: (error: Error) => void } | undefined;
  #failure: Error | undefined;
  readonly #onData = (data: Buffer) => {
    this.#text += data.toString("latin1");
    if (this.#text.length > MOST_ANSWER) this.#fail(new Error("the answer is too long"));
    this.#waiting?.resolve();
  };
  readonly #onError = (error: Error) => this.#fail(error);
  readonly #onClose = () => this.#fail(new Error("the connection was closed"));

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", this.#onData);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
  }

  async say(line: string, ...wanted: number[]): Promise<string[]> {
    if (this.#text !== "") throw new Error("an answer came before it was asked for");
    this.#socket.write(`${line}\r\n`);
    return this.reply(wanted);
  }

  /** The lines of the next reply, without their codes. */
  async reply(wanted: readonly number[]): Promise<string[]> {
    for (;;) {
      const whole = /^(?:\d{3}-[^\n]*\n)*(\d{3})(?: [^\n]*)?\r?\n/.exec(this.#text);
      if (whole !== null) {
        this.#text = this.#text.slice(whole[0].length);
        const lines = whole[0]
          .trimEnd()
          .split(/\r?\n/)
          .map((line) => line.slice(4));
        const code = Number(whole[1]);
        if (wanted.includes(code)) return lines;
        throw new SmtpRefusal(code, lines.join(" ").replaceAll(/[^\x20-\x7e]/g, "?"));
      }
      if (this.#failure !== undefined) throw this.#failure;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      this.#waiting = { resolve, reject };
      await promise;
      this.#waiting = undefined;
    }
  }

  /** The socket is another's now; what it said in the clear counts no more (SMTP-1). */
  letGo(): void {
    if (this.#text !== "") throw new Error("more came before TLS than was asked for");
    this.#socket.off("data", this.#onData);
    this.#socket.off("close", this.#onClose);
  }

  end(): void {
    this.#socket.end("QUIT\r\n");
  }

  destroy(): void {
    if (!this.#socket.writableEnded) this.#socket.destroy(new Error("it took too long"));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#waiting?.reject(this.#failure);
  }
}

/** SMTP-4. */
const stuffed = (mail: string): string =>
  mail
    .replaceAll(/\r\n|\r|\n/g, "\r\n")
    .replace(/(?:\r\n)+$/, "")
    .replaceAll(/^\./gm, "..");

function mailbox(text: string): string {
  const address = addressIn(text);
  if (/^[^\s<>@\p{Cc}]{1,64}@[A-Za-z0-9.[\]:-]{1,255}$/u.test(address)) return address;
  throw new SysError("EINVAL", `${JSON.stringify(address)} is no mail address`);
}
