"""A graph of LangGraph with a long-term store: it recalls, answers, and keeps what it was told."""

import os
import sys
from typing import TypedDict
from uuid import uuid4

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from model import ask

from mnemograph_client import Client
from mnemograph_client.langgraph import MemoryStore

NAMESPACE = ("users", "ada")


class State(TypedDict, total=False):
    said: str
    recalled: str
    answer: str


def recall(state: State, *, store: BaseStore) -> State:
    items = store.search(NAMESPACE, query=state["said"], limit=5)
    return {"recalled": "\n".join(f"- {item.value['text']}" for item in items)}


def respond(state: State) -> State:
    return {"answer": ask(f"What you remember:\n{state['recalled']}\n\nThe user says: {state['said']}")}


def remember(state: State, *, store: BaseStore) -> State:
    store.put(NAMESPACE, str(uuid4()), {"text": state["said"]})
    return {}


with Client(os.environ["MNEMOGRAPH_URL"], os.environ["MNEMOGRAPH_KEY"]) as client:
    graph = StateGraph(State)
    graph.add_node("recall", recall)
    graph.add_node("respond", respond)
    graph.add_node("remember", remember)
    graph.add_edge(START, "recall")
    graph.add_edge("recall", "respond")
    graph.add_edge("respond", "remember")
    graph.add_edge("remember", END)
    agent = graph.compile(store=MemoryStore(client))
    print(agent.invoke({"said": sys.argv[1]})["answer"])
