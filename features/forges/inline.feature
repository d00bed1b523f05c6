Feature: The workflow of a webhook

  Background:
    Given the webhook "ci" for "acme/site" runs "ci.sh":
      """
      echo "checking $CI_TRIGGER_REPO at $CI_TRIGGER_SHA"
      """

  Rule: it runs at pushes as long as no handler takes pushes

    @HAND-023 @HAND-024 @HAND-025 @EVT-044
    Scenario: a handler comes, and goes again
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "aaa1", "repository": {"full_name": "acme/site"}}
        """
      Then the workflow of the webhook "ci" succeeds
      And the log has "checking acme/site at aaa1"
      And "subject" of the run is "acme/site"
      And "trusted" of the run is "true"
      And "trigger.type" of the run is "push"
      And "trigger.event" of the run is "{event}"
      And the project has 1 event of type "push"
      Given the handler "build" on "push" runs "build.sh":
        """
        echo "building"
        """
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "bbb2", "repository": {"full_name": "acme/site"}}
        """
      Then the delivery came to:
        | reaction | name  | state     | reason |
        | handler  | build | delivered |        |
        | webhook  | ci    | declined  | build  |
      And the handler "build" succeeds
      Given the handler "build" is removed
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "ccc3", "repository": {"full_name": "acme/site"}}
        """
      Then the delivery came to:
        | reaction | name | state     | reason |
        | webhook  | ci   | delivered |        |
      And the workflow of the webhook "ci" succeeds
      And the log has "checking acme/site at ccc3"

    @HAND-023 @HAND-024
    Scenario: a handler that matches and declines is still the one that takes pushes
      When I send "PUT" to "{scoped}/handlers/build" with:
        """
        {"on": ["p*"], "when": "event.ref == 'refs/heads/main'", "filename": "build.sh", "source": "true"}
        """
      Then the answer is 201
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/topic", "after": "aaa1", "repository": {"full_name": "acme/site"}}
        """
      Then the delivery came to:
        | reaction | name  | state    | reason   |
        | handler  | build | declined |          |
        | webhook  | ci    | declined | build    |

  Rule: it does not run for what is no longer there, nor for anything but pushes

    Scenario: a branch is removed, an issue is opened
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/old", "after": "0000000000000000000000000000000000000000", "deleted": true}
        """
      Then the delivery came to:
        | reaction | name | state    | reason      |
        | webhook  | ci   | declined | was removed |
      When forge_a delivers "issues" to "ci":
        """
        {"action": "opened"}
        """
      Then the delivery came to:
        | reaction | name | state | reason |

  Rule: conditions on files let a push through whose files are not known

    @HAND-022
    Scenario Outline: <what>
      When I send "PUT" to "{scoped}/handlers/docs" with:
        """
        {"on": ["push"], "filename": "docs.sh", "source": "true",
         "when": "!event.paths_known || event.paths.exists(path, path.startsWith('docs/'))"}
        """
      Then the answer is 201
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "aaa1", "forced": false, "commits": <commits>}
        """
      Then it was delivered so:
        | name | state   | reason |
        | docs | <state> |        |
      And the project comes to rest

      Examples:
        | what                | commits                                                      | state     |
        | a file that matters | [{"added": ["docs/a.md"], "modified": [], "removed": []}]    | delivered |
        | none that matters   | [{"added": ["src/a.ts"], "modified": [], "removed": []}]     | declined  |
        | no list of files    | []                                                           | delivered |

  Rule: a condition sees what the push said

    @EVT-019
    Scenario Outline: <when>
      When I send "PUT" to "{scoped}/handlers/see" with:
        """
        {"on": ["push"], "filename": "see.sh", "source": "true", "when": "<when>"}
        """
      Then the answer is 201
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "abc", "forced": false,
         "commits": [{"added": ["a"], "modified": [], "removed": []}],
         "repository": {"full_name": "acme/site"}, "sender": {"login": "ann"}}
        """
      Then it was delivered so:
        | name | state   | reason |
        | see  | <state> |        |
      And the project comes to rest

      Examples:
        | when                                                                                     | state     |
        | event.ref == 'refs/heads/main' && event.sha == 'abc' && event.repo == 'acme/site'        | delivered |
        | event.sender == 'ann' && event.paths == ['a'] && event.paths_known                       | delivered |
        | event.ref != 'refs/heads/main' \|\| event.sender != 'ann' \|\| !event.paths_known        | declined  |
