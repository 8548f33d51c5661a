// The handlers by name of the call, each bound once to the services of its family, so that a call allocates nothing
// for it.

import { PIPE_IN, PIPE_OUT, type SyscallArgs, type SyscallName } from "@aos/protocol";
import type { CallContext, SyscallHandler, SyscallHandlers } from "../syscall/syscall-handler.ts";
import { exec } from "./exec.ts";
import { close, list, open, read, remove, search, write } from "./files.ts";
import { infer } from "./infer.ts";
import { receive, request, send } from "./messages.ts";
import { ask } from "./people.ts";
import { giveItem, takeItem } from "./pipes.ts";
import { grant, revoke } from "./power.ts";
import { checkAction, self, signal, spawn, wait } from "./processes.ts";
import type { HandlerServices } from "./services.ts";
import { checkpoint, now, random, sleep } from "./time.ts";
import { publish, subscribe } from "./topics.ts";

const bind =
  <Name extends SyscallName, Services>(
    handler: SyscallHandler<Name, Services>,
    services: Services,
  ) =>
  (args: SyscallArgs<Name>, asked: CallContext) =>
    handler(services, args, asked);

/** The files that are a pipe are answered by it. */
const at =
  <Args extends { readonly path?: string | undefined }, Result>(
    path: string,
    pipe: (args: Args, asked: CallContext) => Result,
    other: (args: Args, asked: CallContext) => Result,
  ) =>
  (args: Args, asked: CallContext): Result =>
    args.path === path ? pipe(args, asked) : other(args, asked);

export const bindHandlers = (services: HandlerServices): SyscallHandlers => {
  const { time, grants, processes, persons, messages, tools, models, files } = services;
  return {
    infer: bind(infer, models),
    exec: bind(exec, tools),
    read: at(PIPE_IN, bind(takeItem, messages), bind(read, files)),
    write: at(PIPE_OUT, bind(giveItem, messages), bind(write, files)),
    list: bind(list, files),
    remove: bind(remove, files),
    search: bind(search, files),
    open: bind(open, files),
    close: bind(close, files),
    spawn: bind(spawn, processes),
    wait: bind(wait, processes),
    signal: bind(signal, processes),
    check: bind(checkAction, processes),
    self: bind(self, processes),
    grant: bind(grant, grants),
    revoke: bind(revoke, grants),
    send: bind(send, messages),
    receive: bind(receive, messages),
    request: bind(request, messages),
    publish: bind(publish, messages),
    subscribe: bind(subscribe, messages),
    ask: bind(ask, persons),
    now: bind(now, time),
    random: bind(random, time),
    sleep: bind(sleep, time),
    checkpoint: bind(checkpoint, time),
  };
};
