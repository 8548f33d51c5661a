// The answers, by the name of the call.

import type { SyscallName } from "@aos/protocol";
import type { SyscallHandler } from "../syscall-handler.ts";
import { exec } from "./exec.ts";
import { close, list, open, read, remove, search, write } from "./files.ts";
import { infer } from "./infer.ts";
import { publish, receive, request, send, subscribe } from "./messages.ts";
import { grant, revoke } from "./power.ts";
import { ask } from "./people.ts";
import { check, self, signal, spawn, wait } from "./processes.ts";
import { checkpoint, now, random, sleep } from "./time.ts";

/** `handle`, `mask` and `exit` are the runner's own: they are about the program, not the world. */
type Answered = Exclude<SyscallName, "handle" | "mask" | "exit">;

export const syscallHandlers: { readonly [Name in Answered]: SyscallHandler<Name> } = {
  infer,
  exec,
  read,
  write,
  list,
  remove,
  search,
  open,
  close,
  spawn,
  wait,
  grant,
  revoke,
  send,
  receive,
  request,
  publish,
  subscribe,
  ask,
  signal,
  check,
  self,
  now,
  random,
  sleep,
  checkpoint,
};
