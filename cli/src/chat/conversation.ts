// Conversation: a person and a persistent agent, message by message.
//
//   at a terminal   a prompt; the words of the agent as they come; its questions inline
//   elsewhere       each line of standard input is a message, each answer goes to standard output
//
// CONVERSATION-1  Leaving does not end the agent; `/end` does.
// CONVERSATION-2  Ctrl-C while the agent works stops the work on this message, not the agent (SIGUSR2).
// CONVERSATION-3  A message that fails leaves the conversation open.

import { createInterface } from "node:readline";
import { exitCodes, isEnded, SysError, type Json } from "@aos/protocol/words";
import { isAtTerminal } from "../is-at-terminal.ts";
import { withAttachments } from "../attachments.ts";
import type { CommandCall } from "../command.ts";
import { LiveOutput } from "../live-output.ts";
import { printEnding, resultText } from "../print-ending.ts";
import { printable } from "../printable.ts";
import { questionMode, watchQuestions } from "../question/run-questions.ts";
import { readDraft } from "./read-draft.ts";
import { readSlash, slashHelp, type SlashCommand } from "./slash-command.ts";

export class ChatConversation {
  readonly #call: CommandCall;
  readonly #pid: string;
  readonly #over = new AbortController();
  readonly #history: string[] = [];
  /** Shows the answer to the message that is being worked on. */
  #live: LiveOutput | undefined;

  constructor(call: CommandCall, pid: string) {
    this.#call = call;
    this.#pid = pid;
  }

  /** Until the person leaves or the agent ends; returns the exit code. */
  async hold(first?: string): Promise<number> {
    const isTerminal = isAtTerminal();
    if (isTerminal) void this.#follow();
    try {
      if (first !== undefined && !(await this.#say(first, []))) return await this.#ended();
      return isTerminal ? await this.#atTerminal() : await this.#fromPipe();
    } finally {
      this.#over.abort();
    }
  }

  async #atTerminal(): Promise<number> {
    for (;;) {
      const typed = await readDraft("> ", this.#history);
      if (typed === undefined) return this.#leave();
      if (typed.trim() === "") continue;
      const code = await this.#take(readSlash(typed));
      if (code !== undefined) return code;
    }
  }

  /** The exit code where the conversation is over. */
  async #take(command: SlashCommand): Promise<number | undefined> {
    const { out } = this.#call;
    switch (command.kind) {
      case "message":
        return (await this.#say(command.text, command.files)) ? undefined : this.#ended();
      case "leave":
        return this.#leave();
      case "end":
        return this.#end();
      case "help":
        process.stderr.write(`${slashHelp}\n`);
        return undefined;
      case "status":
        await this.#status();
        return undefined;
      case "why":
        out.note(`see: aos why ${this.#pid}`);
        return undefined;
      case "unknown":
        out.note(`there is no ${printable(command.name)}; /help lists the commands`);
        return undefined;
    }
  }

  async #fromPipe(): Promise<number> {
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.trim() === "") continue;
      if (!(await this.#say(line, []))) return this.#ended();
    }
    return exitCodes.success;
  }

  /** False where the agent has ended. */
  async #say(text: string, files: readonly string[]): Promise<boolean> {
    const { client, out } = this.#call;
    const pid = this.#pid;
    const live = new LiveOutput((words) => void process.stderr.write(words), {
      showsWords: out.format === "text",
    });
    this.#live = live;
    const stop = () => {
      out.note("stopping the work on this message");
      client.signal({ pid, signal: "SIGUSR2" }).catch((error: Error) => out.note(error.message));
    };
    process.on("SIGINT", stop);
    const questions = watchQuestions(this.#call, {
      pid,
      mode: questionMode(!this.#call.options.flag("ask")),
      pause: () => live.pause(),
      resume: () => live.resume(),
      interrupt: stop,
    });
    try {
      const input = withAttachments(text, files) as Json;
      const { output } = await client.invoke({ pid, input });
      const isSameTerminal = out.terminal && out.format === "text" && process.stderr.isTTY;
      await out.line({ pid, input: text, output }, () =>
        live.rest(resultText(output), isSameTerminal).replace(/\n$/, ""),
      );
      return true;
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      live.rest("", false);
      if (isEnded((await client.show({ pid })).state)) return false;
      out.note(`${error.message} (${error.code})`); // CONVERSATION-3
      return true;
    } finally {
      this.#live = undefined;
      await questions.stop();
      process.off("SIGINT", stop);
    }
  }

  async #follow(): Promise<void> {
    const { client } = this.#call;
    const after = (await client.show({ pid: this.#pid })).records;
    try {
      const happenings = client.attach({ pid: this.#pid, after }, { signal: this.#over.signal });
      for await (const happening of happenings) this.#live?.take(happening);
    } catch {
      // It is shown for the person; whoever waits for the answer hears what went wrong.
    }
  }

  /** CONVERSATION-1. */
  #leave(): number {
    const pid = this.#pid;
    this.#call.out.note(
      `the agent stays; go on with: aos attach ${pid}; end it with: aos kill ${pid}`,
    );
    return exitCodes.success;
  }

  async #end(): Promise<number> {
    const { client, out } = this.#call;
    await client.signal({ pid: this.#pid, signal: "SIGTERM" });
    out.note(`${this.#pid} is ended`);
    return exitCodes.success;
  }

  async #ended(): Promise<number> {
    const { client, out } = this.#call;
    return printEnding(out, await client.wait({ pid: this.#pid }));
  }

  async #status(): Promise<void> {
    const { client } = this.#call;
    const { state, costUsd } = await client.show({ pid: this.#pid });
    const open = await client.questions({ pid: this.#pid });
    process.stderr.write(
      `${this.#pid} is ${state}; spent ${costUsd} USD; ${open.length} open questions\n`,
    );
  }
}
