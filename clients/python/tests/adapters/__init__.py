"""Adapters for libraries, each tried with the real library against a running service."""

import os

ADDRESS = os.environ["MNEMOGRAPH_TEST_URL"]
KEY = os.environ["MNEMOGRAPH_TEST_KEY"]

SAID = "A walrus rests on the ice of Kvitholm"
FILLER = "Please write in a friendly voice, and show each step as you go along. " * 200
LONG_PROMPT = f"Where does the walrus of Kvitholm rest? {FILLER} Thank you."
