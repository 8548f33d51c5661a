import { readFileSync } from "node:fs";
import { nearest, SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { shells, type Shell } from "../shells.ts";

const isShell = (text: string): text is Shell => (shells as readonly string[]).includes(text);

const command: Command = async ({ args, out }) => {
  const shell = args[0] ?? "";
  if (!isShell(shell)) {
    const meant = nearest(shell, shells);
    throw new SysError("EINVAL", `completion does not support ${shell}`, {
      hint: `${meant === undefined ? "" : `did you mean ${meant}? `}the shells are ${shells.join(", ")}`,
    });
  }
  const script = readFileSync(new URL(`../../completions/aos.${shell}`, import.meta.url), "utf8");
  await out.data({ shell, script }, () => script);
};

export default command;
