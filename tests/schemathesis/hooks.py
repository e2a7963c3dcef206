"""Schemathesis authentication hook: fetches a new token during a run, because a token is valid for five minutes only."""

import os
import subprocess

import schemathesis


@schemathesis.auth(refresh_interval=200)
class Token:
    def get(self, case, context):
        command = [os.environ["SIGN_IN_NODE"], os.environ["SIGN_IN_COMMAND"], "token", os.environ["SIGN_IN_AS"]]
        command += os.environ["SIGN_IN_OPTIONS"].split()
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def set(self, case, data, context):
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}
