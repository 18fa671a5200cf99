"""A model behind an endpoint that speaks as OpenAI does. Any model of your framework fits in its place."""

import os

import httpx


def ask(prompt: str) -> str:
    response = httpx.post(
        f"{os.environ['OPENAI_BASE_URL']}/chat/completions",
        headers={"Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"},
        json={"model": os.environ["OPENAI_MODEL"], "messages": [{"role": "user", "content": prompt}]},
        timeout=60,
    )
    response.raise_for_status()
    content: str = response.json()["choices"][0]["message"]["content"]
    return content
