// SlashCommand: what a person types in a conversation that is no message.
//
//   /attach photo.png what is on it?     a message with a file
//   //etc is a folder                    a message that begins with a slash

export type SlashCommand =
  | { readonly kind: "message"; readonly text: string; readonly files: readonly string[] }
  | { readonly kind: "help" | "status" | "why" | "leave" | "end" }
  | { readonly kind: "unknown"; readonly name: string };

const names: Readonly<Record<string, Exclude<SlashCommand["kind"], "message" | "unknown">>> = {
  "/help": "help",
  "/?": "help",
  "/status": "status",
  "/why": "why",
  "/quit": "leave",
  "/exit": "leave",
  "/detach": "leave",
  "/end": "end",
};

export function readSlash(typed: string): SlashCommand {
  const text = typed.trim();
  if (text.startsWith("//")) return { kind: "message", text: text.slice(1), files: [] };
  if (!text.startsWith("/")) return { kind: "message", text, files: [] };
  const [name = "", file, ...rest] = text.split(/\s+/);
  if (name === "/attach" && file !== undefined)
    return { kind: "message", text: rest.join(" "), files: [file] };
  const kind = names[name];
  return kind === undefined ? { kind: "unknown", name } : { kind };
}

export const slashHelp = `/attach FILE TEXT   send a file with a message
/status             state, spending and waiting questions
/why                what led to the last result
/quit               leave; the agent stays and can be attached again
/end                end the agent
A line that ends with \\ goes on in the next; //TEXT sends text that begins with a slash.
While it answers, Ctrl-C stops it; at the prompt, Ctrl-C clears the line and then leaves.`;
