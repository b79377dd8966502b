"""Checks test vectors by the algorithm of Standard Webhooks, written from its specification alone.

Reads the vectors from the file in the first argument, and prints the result of each: valid or invalid.
"""
import base64
import hashlib
import hmac
import json
import sys


def is_valid(secret, headers, body):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
    expected = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    signatures = (signature.split(",") for signature in headers["webhook-signature"].split(" "))
    return any(version == "v1" and hmac.compare_digest(given, expected) for version, given in signatures)


with open(sys.argv[1], encoding="utf-8") as file:
    vectors = json.load(file)["vectors"]
for vector in vectors:
    print("valid" if is_valid(vector["secret"], vector["headers"], vector["body"]) else "invalid")
