/** What a person finds in the editor the first time: a query that answers something in every tenant. */
export const firstQuery = `# The newest memories with what they are connected to, strongest first.
# Run it with Ctrl-Enter; Ctrl-Space completes, and the book on the left holds the whole schema.
query Newest {
  memories(sort: [{ createdAt: DESC }], limit: 5) {
    id
    content
    tags
    connections(limit: 5) {
      direction
      connection {
        relationshipType
        strength
        origin
      }
      memory {
        content
      }
    }
  }
}

# Search, and go on from each hit.
query Search($query: String = "how do I abort a request") {
  searchMemories(query: $query, searchType: HYBRID, limit: 5) {
    results {
      score
      sources {
        semantic { rank score }
        keyword { rank score }
      }
      memory {
        content
        relatedTo(limit: 3) {
          content
        }
      }
    }
  }
}

query Counts {
  getStats {
    memories { total byState { active archived } }
    connections { total }
  }
}

# Sends each change as it is committed, until it is stopped.
subscription Changes {
  changes {
    kind
    memory {
      content
    }
  }
}
`
