"""Adapters for libraries, each tried with the real library against a running service."""

import os

ADDRESS = os.environ["MNEMOGRAPH_TEST_URL"]
KEY = os.environ["MNEMOGRAPH_TEST_KEY"]
