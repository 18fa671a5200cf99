"""Documents in a vector store of LlamaIndex: `python llama_index_answer.py notes.txt "Who books the train?"`."""

import os
import sys
from pathlib import Path

from llama_index.core import Document, MockEmbedding, StorageContext, VectorStoreIndex
from model import ask

from mnemograph_client import Client
from mnemograph_client.llama_index import MemoryVectorStore

path, question = sys.argv[1:]

with Client(os.environ["MNEMOGRAPH_URL"], os.environ["MNEMOGRAPH_KEY"]) as client:
    store = MemoryVectorStore(client)
    # The service makes the vectors, so the index needs no model for them.
    index = VectorStoreIndex.from_documents(
        [Document(text=line, doc_id=f"{path}:{number}") for number, line in enumerate(Path(path).read_text().splitlines())],
        storage_context=StorageContext.from_defaults(vector_store=store),
        embed_model=MockEmbedding(embed_dim=1),
    )
    found = index.as_retriever(similarity_top_k=5).retrieve(question)
    notes = "\n".join(f"- {each.node.get_content()}" for each in found)
    print(ask(f"Your notes:\n{notes}\n\nAnswer in one sentence: {question}"))
