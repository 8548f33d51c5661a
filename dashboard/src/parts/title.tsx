import { useEffect, type ReactNode } from "react";

/** The heading of a view, which is the title of its tab as well. */
export function Title({ children, tab }: { children: ReactNode; tab?: string }) {
  const said = tab ?? (typeof children === "string" ? children : "");
  useEffect(() => {
    document.title = said === "" ? "Agent OS" : `${said} · Agent OS`;
  }, [said]);
  return <h1 className="text-xl font-semibold tracking-tight">{children}</h1>;
}
