// ModalDialog: a native dialog. The browser keeps the focus in it, and Escape closes it.

import { useEffect, useRef, type ReactNode } from "react";

export function ModalDialog(props: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const { title, isOpen, onClose, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      className="m-auto w-[min(40rem,calc(100vw-2rem))] rounded-xl border border-line bg-sheet p-5 text-ink shadow-2xl backdrop:bg-black/40"
      onClose={onClose}
    >
      {isOpen ? (
        <div className="flex flex-col gap-4">
          <h2 className="text-base font-semibold">{title}</h2>
          {children}
        </div>
      ) : null}
    </dialog>
  );
}
