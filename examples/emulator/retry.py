"""Python 3 without packages: a program that repeats after 429, tested against `npx easel emulator`."""
import json, os, time, urllib.error, urllib.request

URL, KEY, ADMIN = (os.environ[name] for name in ("EASEL_URL", "EASEL_API_KEY", "EASEL_ADMIN_TOKEN"))


def call(method, path, body=None, token=KEY):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.loads(answer.read() or b"null"), answer.headers
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.loads(refusal.read()), refusal.headers


def track(attributes):
    """The program under test."""
    while True:
        status, body, headers = call("POST", "/users/track", {"attributes": attributes})
        if status != 429:
            return status
        time.sleep(int(headers["Retry-After"]))


call("POST", "/emulator/reset", {}, ADMIN)
call("POST", "/emulator/faults", {"kind": "rate_limit", "path": "/users/track"}, ADMIN)
assert track([{"external_id": "ada", "plan": "gold"}]) == 201
expected = {"path": "/users/track", "body": {"attributes": [{"plan": "gold"}]}, "count": 2}
status, body, _ = call("POST", "/emulator/requests/expect", expected, ADMIN)
assert status == 200, body["message"]
print([request["status"] for request in body["requests"]])
