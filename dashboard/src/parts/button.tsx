import type { ButtonHTMLAttributes } from "react";

const tones = {
  main: "border-transparent bg-accent text-on-accent hover:opacity-90",
  plain: "border-line bg-sheet text-ink hover:bg-raised",
  bad: "border-line bg-sheet text-bad hover:bg-raised",
};

export function Button({
  tone = "plain",
  className = "",
  type = "button",
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { tone?: keyof typeof tones }) {
  return (
    <button
      type={type}
      className={`inline-flex h-9 items-center justify-center gap-2 rounded-md border px-3.5 font-medium whitespace-nowrap disabled:opacity-50 ${tones[tone]} ${className}`}
      {...rest}
    />
  );
}
