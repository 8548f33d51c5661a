"""The run that is killed, as a program in another process: the same calls as in mixed-run.ts.

    mixed_run.py FOLDER     AOS_TEST_KILL_CALL=7:before in the environment kills it once, at call 7
"""

import os
import signal
import sys as python

python.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "sdk", "python"))
import aos  # noqa: E402

CAPABILITIES = [
    "tool:*:call",
    "memory:/mem/**:read,write,list,remove,search",
    "agent:*:spawn{max:50}",
    "message:news:publish,subscribe",
    "model:fake/*:infer",
]


def main(sys, input, state=None):
    def charge(what, key=None):
        sys.exec("charge", {"what": what}, on_doubt=input["onDoubt"], key=key)
        return {"charged": what}

    first = state
    if first is None:
        began = sys.now()
        dice = sys.random()
        sys.write("/mem/working/note", {"dice": dice})
        note = sys.read("/mem/working/note")
        looked = sys.exec("look", {"at": "the door"})
        put = sys.exec("put", {"on": "the table"})
        charged = charge("parent")
        try:
            missing = sys.read("/mem/working/nothing")
        except aos.SysError as error:
            missing = error.code
        first = {
            "isLater": began > 1_700_000_000_000,
            "isKept": note["dice"] == dice,
            "looked": looked,
            "put": put,
            "charged": charged,
            "missing": missing,
        }
        sys.checkpoint(first)

    sys.subscribe("news")
    child = sys.spawn("child", {"onDoubt": input["onDoubt"]}, capabilities=CAPABILITIES)
    sys.send(child, "good morning", type="greeting")
    answer = sys.request(child, {"question": "how are you"})
    news = sys.receive(topic="news")
    order = sys.receive(type="order")
    sys.sleep(sys.now() + 20)
    reply = sys.infer("fake/1", [{"role": "user", "content": "x" * 3000}])
    doubt = {"onDoubt": input["onDoubt"]}
    _, looked_at, _ = sys.all(
        [
            ("exec", {"tool": "charge", "args": {"what": "left"}, **doubt}),
            ("exec", {"tool": "look", "args": 1}),
            ("exec", {"tool": "charge", "args": {"what": "right"}, **doubt}),
        ]
    )
    fd = sys.open("/mem/shared/diary", "append")
    sys.write(fd, "dear diary; ")
    sys.close(fd)
    charge("keyed", key="the-key-of-" + sys.self()["pid"])
    ending = sys.wait(child)
    diary = sys.read("/mem/shared/diary")
    charge("tail")
    return {
        **first,
        "answer": answer,
        "news": news["body"],
        "order": order["body"],
        "reply": reply["text"],
        "both": [{"charged": "left"}, looked_at, {"charged": "right"}],
        "child": [ending["state"], ending["output"]],
        "diary": diary,
        "files": sys.list("/mem/working"),
    }


def kill_once(at, when, marker):
    """Ends this process with SIGKILL at its call number `at`, unless that has happened before."""
    send = aos._Wire._send
    calls = 0

    def die():
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    def counted(wire, data):
        nonlocal calls
        calls += data.count(b'"method":')
        if calls >= at and when == "before":
            die()
        send(wire, data)
        if calls >= at and when == "after":
            die()

    aos._Wire._send = counted


if "AOS_TEST_KILL_CALL" in os.environ:
    number, moment = os.environ["AOS_TEST_KILL_CALL"].split(":")
    kill_once(int(number), moment, os.path.join(python.argv[1], "killed"))
aos.run(main)
