"""A chain of LangChain that answers from memories: `python langchain_answer.py "Who books the train?"`."""

import os
import sys

from langchain_core.documents import Document
from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from model import ask

from mnemograph_client import Client
from mnemograph_client.langchain import MemoryRetriever


def as_list(documents: list[Document]) -> str:
    return "\n".join(f"- {document.page_content}" for document in documents)


with Client(os.environ["MNEMOGRAPH_URL"], os.environ["MNEMOGRAPH_KEY"]) as client:
    chain = (
        {"memories": MemoryRetriever(client=client, k=5) | as_list, "question": RunnablePassthrough()}
        | PromptTemplate.from_template("What you remember:\n{memories}\n\nAnswer in one sentence: {question}")
        | RunnableLambda(lambda prompt: ask(prompt.to_string()))
    )
    print(chain.invoke(sys.argv[1]))
