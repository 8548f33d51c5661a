// Limits as one word, each with its name: usd=0.50,wall=10m

import { SysError } from "@aos/protocol/words";

/** How each limit is read; what it throws is said with its name. */
export type LimitReaders<Limits> = Readonly<Record<string, (text: string) => Limits>>;

export function readLimits<Limits>(
  text: string,
  readers: LimitReaders<Limits>,
  option: { readonly name: string; readonly example: string },
): Limits {
  const refusal = (problem: string) =>
    new SysError("EINVAL", `${option.name}: ${problem}`, {
      hint: `write it like ${option.example}`,
    });
  const readOne = (part: string): Limits => {
    const [name = "", value = ""] = part.split("=", 2).map((word) => word.trim());
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read === undefined) throw refusal(`unknown limit ${JSON.stringify(name)}`);
    try {
      return read(value);
    } catch (error) {
      throw refusal(`${name}: ${(error as Error).message}`);
    }
  };
  return Object.assign({}, ...text.split(",").map(readOne)) as Limits;
}
