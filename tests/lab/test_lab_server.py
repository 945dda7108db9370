"""Who is let in, what can be asked for, and how long an answer may take."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import suppress
from hashlib import sha256

import pytest

pytest.importorskip("starlette", reason="the lab's server needs starlette: pip install '.[lab]'")
from starlette.testclient import TestClient

from commands import run as run_command
from common import ROOT
from novikoff.lab import server, starting
from novikoff.lab.doors import POLICY, Doors
from novikoff.lab.own_data.data_routes import LARGEST, PROCESS, OwnData
from novikoff.lab.own_data.file_shelf import Shelf
from novikoff.lab.page_files import page_files
from novikoff.lab.server import make_app
from novikoff.lab.worker import Worker

HERE = "127.0.0.1:8765"
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def doors():
    return Doors("127.0.0.1", 8765)


@pytest.fixture
def stranger(doors):
    return TestClient(make_app(doors, OwnData(Shelf())), base_url=f"http://{HERE}", follow_redirects=False)


@pytest.fixture
def friend(stranger, doors):
    """A browser that was opened with the token."""
    reply = stranger.get("/", params={"token": doors.token})
    assert reply.status_code == 303
    assert reply.headers["location"] == "/"
    return stranger


def ask(client, message, **headers):
    return client.post("/work", content=json.dumps(message), headers={"Origin": f"http://{HERE}", **JSON, **headers})


def test_the_token_becomes_a_cookie_and_is_of_no_further_use(stranger, doors):
    token = doors.token
    cookie = stranger.get("/", params={"token": token}).headers["set-cookie"]
    assert cookie.startswith("novikoff-lab-8765=")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert token not in cookie
    another = TestClient(stranger.app, base_url=f"http://{HERE}", follow_redirects=False)
    assert another.get("/", params={"token": token}).status_code == 403


@pytest.mark.parametrize("path", ["/", "/shell.js", "/work", "/vendor/uplot.js", "/nothing"])
@pytest.mark.parametrize("token", ["", "wrong", "\u00e4"])
def test_without_the_token_nothing_is_served(stranger, path, token):
    reply = stranger.get(path, params={"token": token} if token else {})
    assert reply.status_code == 403
    assert "novikoff lab" in reply.text
    assert ask(stranger, {"ask": "catalogue"}).status_code == 403


def test_the_page_is_served_to_its_browser(friend):
    for name, file in page_files().items():
        reply = friend.get(f"/{name}")
        assert reply.status_code == 200
        assert reply.content == file.content
        assert reply.headers["content-type"] == file.kind
    assert friend.get("/").content == page_files()["index.html"].content
    assert ask(friend, {"ask": "files"}).json()["answer"]["files"] == []


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1:9999", "127.0.0.1.evil.example:8765", ""]
)
def test_another_name_for_this_machine_is_refused(friend, host):
    assert friend.get("/", headers={"Host": host}).status_code == 403
    assert ask(friend, {}, Host=host).status_code == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:1234", f"https://{HERE}", ""])
def test_a_page_of_another_origin_is_refused(friend, origin):
    assert ask(friend, {}, Origin=origin).status_code == 403
    assert friend.get("/shell.js", headers={"Origin": origin}).status_code == 403


def test_a_message_needs_an_origin(friend):
    assert friend.post("/work", content="{}", headers=JSON).status_code == 403


def test_localhost_is_this_machine(friend):
    headers = {"Host": "localhost:8765", "Origin": "http://localhost:8765"}
    assert friend.get("/", headers=headers).status_code == 200


def test_a_cookie_of_another_lab_is_refused(stranger):
    stranger.cookies.set("novikoff-lab-8765", "guessed")
    assert stranger.get("/").status_code == 403
    assert ask(stranger, {"ask": "catalogue"}).status_code == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize("path", ["/", "/data", "/work"])
def test_other_methods_do_nothing(friend, method, path):
    headers = {"Origin": f"http://{HERE}", **JSON}
    assert friend.request(method, path, content=b"{}", headers=headers).status_code in (404, 405)
    assert friend.request(method, path, content=b"{}", headers=JSON).status_code == 403


@pytest.mark.parametrize(
    "path",
    ["/../server.py", "/..%2fserver.py", "/%2e%2e/server.py", "/vendor/../../server.py", "//etc/passwd", "/demos/", "/demos", "/%00",
     "/server.py", "/page/shell.js"],
)  # fmt: skip
def test_nothing_but_the_page_can_be_asked_for(friend, path):
    reply = friend.get(path)
    assert reply.status_code in (403, 404), path
    assert "import" not in reply.text


def test_messages_are_json_of_bounded_size(friend):
    assert ask(friend, {}, **{"Content-Type": "text/plain"}).status_code == 415
    headers = {"Origin": f"http://{HERE}", **JSON}
    assert friend.post("/work", content="{", headers=headers).status_code == 400
    assert friend.post("/work", content="[" * 100_000, headers=headers).status_code == 400
    assert friend.post("/work", content=b" " * (LARGEST + 1), headers=headers).status_code == 413


def test_every_reply_has_a_strict_policy(friend):
    assert "unsafe" not in POLICY
    for reply in (friend.get("/"), friend.get("/no"), friend.get("/", headers={"Host": "evil"}), ask(friend, {})):
        assert reply.headers["content-security-policy"] == POLICY
        assert reply.headers["x-content-type-options"] == "nosniff"


def test_the_page_has_no_script_or_style_in_its_text():
    page = page_files()["index.html"].content.decode()
    assert "<style" not in page
    assert " style=" not in page
    assert "onclick" not in page


PATIENCE = 60.0  # seconds after which a connection that is still open counts as one that stays open
HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half"


def with_server(scenario, **bounds):
    """What a scenario finds that is given a server and what opens a connection to it."""

    class Slow:
        async def ask(self, message, on_news):
            await asyncio.sleep(1.2 * bounds.get("REQUEST_SECONDS", 0))
            return {"answer": message["ask"]}

        async def stop(self):
            pass

    async def run():
        with starting.listening("127.0.0.1", 0) as listener:
            port = listener.getsockname()[1]
            doors = Doors("127.0.0.1", port)
            made = server.server_of(server.make_app(doors, OwnData(Shelf([ROOT / "pyproject.toml"]), Slow())))
            serving, opened = asyncio.create_task(made.serve(sockets=[listener])), []

            async def connect():
                opened.append(await asyncio.open_connection("127.0.0.1", port))
                return opened[-1]

            try:
                async with asyncio.timeout(PATIENCE):
                    return await scenario(doors, connect)
            finally:
                for _, writer in opened:
                    writer.close()
                    with suppress(ConnectionError):
                        await writer.wait_closed()
                made.should_exit = True
                await serving

    with pytest.MonkeyPatch.context() as patched:
        for name, bound in bounds.items():
            patched.setattr(server, name, bound)
        return asyncio.run(run())


def post(doors, path, length, kind="application/json"):
    host = next(iter(doors._hosts))
    return (
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {doors.cookie.split(';')[0]}\r\n"
        f"Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def test_connections_without_a_whole_request_are_closed(capfd):
    async def scenario(doors, connect):
        async def closed(*parts):
            reader, writer = await connect()
            try:
                for part in parts:
                    writer.write(part)
                    await writer.drain()
                    await asyncio.sleep(0.02)
                return await reader.read()
            except ConnectionError:
                return b""

        return await asyncio.gather(
            closed(),
            closed(HALF),
            closed(*(HALF[k : k + 1] for k in range(len(HALF)))),  # letter by letter
            closed(post(doors, "/work", 100), b"[1, 2"),
            closed(post(doors, "/data?name=a.csv", 100, "application/octet-stream"), b"a,b"),
        )

    assert with_server(scenario, REQUEST_SECONDS=0.3) == [b""] * 5
    assert capfd.readouterr().err == ""  # nor does a traceback tell of it


def test_a_long_body_and_a_long_answer_have_time_but_not_half_of_the_next_request():
    async def scenario(doors, connect):
        reader, writer = await connect()
        message = json.dumps({"ask": 1, "file": sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()}).encode()
        writer.write(post(doors, "/work", len(message)))
        for part in (message[:5], message[5:9], message[9:]):
            await asyncio.sleep(0.4)
            writer.write(part)
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        assert b'{"answer": 1}' in await reader.readuntil(b"0\r\n\r\n")
        writer.write(HALF)
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""

    assert with_server(scenario, REQUEST_SECONDS=1.0) == b""


def test_connections_are_bounded():
    async def scenario(doors, connect):
        held = [await connect() for _ in range(3)]
        for _, writer in held:
            writer.write(HALF)
        reader, writer = await connect()
        with suppress(ConnectionResetError):
            assert await reader.read() == b""
        held[0][1].close()
        await held[0][1].wait_closed()
        while True:  # until the server knows it, too
            reader, writer = await connect()
            writer.write(b"GET / HTTP/1.1\r\nHost: evil\r\n\r\n")
            with suppress(ConnectionError):
                if reply := await reader.readline():
                    return reply

    assert with_server(scenario, MOST_CONNECTIONS=3).startswith(b"HTTP/1.1 403")


@pytest.mark.slow
def test_answers_take_a_bounded_time_and_the_worker_recovers():
    async def scenario():
        worker, asked = Worker(0.0, PROCESS), {"ask": "nothing", "path": "x", "name": "y", "settings": {}}
        late = await worker.ask(asked)
        worker._seconds = 60.0
        again = await worker.ask(asked)
        await worker.stop()
        return late, again

    late, again = asyncio.run(scenario())
    assert "No answer within" in late["error"]
    assert "nothing" in again["error"]


@pytest.mark.parametrize("seconds", [0.05, 0.5])
def test_who_is_cancelled_while_the_worker_starts_leaves_it_in_order(seconds):
    async def scenario():
        worker = Worker(seconds=60.0, module=PROCESS)
        asked = {"ask": "nothing", "path": "x", "name": "y", "settings": {}}
        first = asyncio.create_task(worker.ask(asked))
        await asyncio.sleep(seconds)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        found = await worker.ask(asked)
        await worker.stop()
        return found

    assert asyncio.run(scenario()) == {"error": "Unknown question: 'nothing'."}


def test_other_addresses_are_warned_of():
    words = [sys.executable, "-m", "novikoff", "lab", "--no-browser", "--host", "0.0.0.0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as lab:
        assert "can be reached from other machines" in lab.stderr.readline()
        assert "http://127.0.0.1:" in lab.stderr.readline()
        lab.terminate()


def test_scenes_that_do_not_exist_are_named():
    assert "none of the demonstrations" in run_command("lab", "nothing", status=2)[1]


class Told(Exception):
    """What ends a start as soon as the address is told."""


def told(address):
    raise Told(address)


def test_the_address_is_told_as_soon_as_somebody_listens():
    with pytest.raises(Told, match=r"^http://127\.0\.0\.1:\d+/\?token=\S+#d=$"):
        starting.run("127.0.0.1", 0, told, "#d=")
    with starting.listening("127.0.0.1", 0) as taken, pytest.raises(OSError, match="choose another port"):
        starting.run("127.0.0.1", taken.getsockname()[1], told)


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_packages_that_are_missing_are_named_before_the_address(missing, monkeypatch):
    find = starting.find_spec
    monkeypatch.setattr(starting, "find_spec", lambda name: None if name == missing else find(name))
    with pytest.raises(ImportError, match=r"pip install \"\.\[lab\]\" in a copy of the repository"):
        starting.run("127.0.0.1", 0, told)
