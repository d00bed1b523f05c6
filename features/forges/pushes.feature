Feature: Pushes

  Background:
    Given the webhook "site" with '{"forge": "forge_a", "repo": "acme/site"}'

  Rule: A push event contains the commits, the sender and the changed paths

    @EVT-054 @EVT-055 @EVT-024 @EVT-009 @EVT-010 @EVT-011 @EVT-012 @EVT-013 @EVT-014 @SUBJ-002
    Scenario: a push with two commits lists the paths of both
      When forge_a delivers "push" to "site":
        """
        {"ref": "refs/heads/main", "after": "0123456789abcdef0123456789abcdef01234567", "forced": false,
         "commits": [{"added": ["b.txt"], "modified": ["docs/a.md"], "removed": []},
                     {"added": ["a.txt"], "modified": ["b.txt"], "removed": ["old.txt"]}],
         "repository": {"full_name": "acme/site"}, "sender": {"login": "ann"}}
        """
      Then the answer is 202
      And "event_type" of the answer is "push"
      When the event of the delivery is looked at
      Then "type" of the answer is "push"
      And "key" of the answer is "acme/site"
      And "source" of the answer is "forge"
      And "trusted" of the answer is "true"
      And "payload.ref" of the answer is "refs/heads/main"
      And "payload.sha" of the answer is "0123456789abcdef0123456789abcdef01234567"
      And "payload.repo" of the answer is "acme/site"
      And "payload.sender" of the answer is "ann"
      And "payload.forge" of the answer is "forge_a"
      And "payload.paths" of the answer is '["a.txt","b.txt","docs/a.md","old.txt"]'
      And "payload.paths_known" of the answer is "true"
      And "payload.body.forced" of the answer is "false"

    @EVT-015 @EVT-014
    Scenario Outline: the paths of a push are unknown or empty: <what>
      When forge_a delivers "push" to "site":
        """
        {"ref": "refs/heads/main", "after": "abc", "commits": <commits>, "repository": {"full_name": "acme/site"}}
        """
      Then the answer is 202
      When the event of the delivery is looked at
      Then "payload.paths_known" of the answer is "<known>"
      And "payload.paths" of the answer is '<paths>'

      Examples:
        | what                              | known | commits                                                     | paths   |
        | the forge sent no list of commits | false | null                                                        | []      |
        | a new branch without commits      | false | []                                                          | []      |
        | commits without their files       | false | [{"id": "abc"}]                                             | []      |
        | history was rewritten             | true  | [{"added": ["a"], "modified": [], "removed": []}], "forced": true | ["a"] |
        | the forge does not say whether    | true  | [{"added": ["a"], "modified": [], "removed": []}]           | ["a"]   |

    @EVT-054 @EVT-013
    Scenario: the paths of a push are unknown if the forge sends only its first commits
      Given the webhook "mirror" with '{"forge": "forge_b", "repo": "acme/mirror"}'
      When forge_b delivers "push" to "mirror":
        """
        {"ref": "refs/heads/main", "after": "abc",
         "commits": [{"added": ["x"], "modified": [], "removed": []}], "repository": {"full_name": "acme/mirror"}}
        """
      And the event of the delivery is looked at
      Then "payload.paths_known" of the answer is "true"
      When forge_b delivers "push" to "mirror":
        """
        {"ref": "refs/heads/main", "after": "abc", "total_commits": 1,
         "commits": [{"added": ["z"], "modified": ["y"], "removed": []}],
         "repository": {"full_name": "acme/mirror"}, "sender": {"login": "bob"}}
        """
      And the event of the delivery is looked at
      Then "payload.forge" of the answer is "forge_b"
      And "payload.paths" of the answer is '["y","z"]'
      And "payload.paths_known" of the answer is "true"
      When forge_b delivers "push" to "mirror":
        """
        {"ref": "refs/heads/main", "after": "abc", "total_commits": 9,
         "commits": [{"added": ["z"], "modified": ["y"], "removed": []}],
         "repository": {"full_name": "acme/mirror"}, "sender": {"login": "bob"}}
        """
      And the event of the delivery is looked at
      Then "payload.paths_known" of the answer is "false"

  Rule: A run started by a push has the push's data

    @SCR-047 @EVT-009 @EVT-010 @EVT-011 @EVT-012 @EVT-013 @EVT-014 @HAND-031 @HAND-032 @HAND-033 @HAND-034 @HAND-035 @HAND-036 @HAND-030
    Scenario: the push's data is in the input file, the environment and the lifecycle events
      Given the handler "see" on "push" runs "see.sh":
        """
        echo "$CI_TRIGGER_SHA $CI_TRIGGER_SHORT_SHA $CI_TRIGGER_REF $CI_TRIGGER_REPO $CI_TRIGGER_SENDER $CI_TRIGGER_FORGE"
        cp "$SVC_INPUT_FILE" {folder}/input.json
        env | sed -n 's/^\(CI_TRIGGER_[A-Z_]*\)=.*/\1/p' | sort > {folder}/names
        """
      When forge_a delivers "push" to "site":
        """
        {"ref": "refs/heads/main", "after": "0123456789abcdef0123456789abcdef01234567", "forced": false,
         "commits": [{"added": ["b", "a"], "modified": [], "removed": []}],
         "repository": {"full_name": "acme/site"}, "sender": {"login": "ann"}}
        """
      Then the handler "see" succeeds
      And the log has "0123456789abcdef0123456789abcdef01234567 0123456 refs/heads/main acme/site ann forge_a"
      And the file "input.json" is JSON with:
        | type        | push                                     |
        | event       | {event}                                  |
        | key         | acme/site                                |
        | trusted     | true                                     |
        | forge       | forge_a                                  |
        | ref         | refs/heads/main                          |
        | sha         | 0123456789abcdef0123456789abcdef01234567 |
        | repo        | acme/site                                |
        | sender      | ann                                      |
        | paths       | ["a","b"]                                |
        | paths_known | true                                     |
      And the file "names" is:
        """
        CI_TRIGGER_EVENT
        CI_TRIGGER_EVENT_ID
        CI_TRIGGER_FORGE
        CI_TRIGGER_REF
        CI_TRIGGER_REPO
        CI_TRIGGER_SENDER
        CI_TRIGGER_SHA
        CI_TRIGGER_SHORT_SHA
        """

    @RUN-012
    Scenario: the event at the end of the run contains the push's data
      Given the handler "see" on "push" runs "see.sh":
        """
        true
        """
      When forge_a delivers "push" to "site":
        """
        {"ref": "refs/heads/main", "after": "0123456789abcdef", "repository": {"full_name": "acme/site"},
         "sender": {"login": "ann"}}
        """
      Then the handler "see" succeeds
      When the last event of type "run.succeeded" is looked at
      And the event of the delivery is looked at
      Then "payload.trigger.type" of the answer is "push"
      And "payload.trigger.sha" of the answer is "0123456789abcdef"
      And "payload.trigger.ref" of the answer is "refs/heads/main"
      And "payload.trigger.repo" of the answer is "acme/site"
      And "payload.trigger.sender" of the answer is "ann"
      And "payload.trigger.forge" of the answer is "forge_a"
      And "key" of the answer is "acme/site"
