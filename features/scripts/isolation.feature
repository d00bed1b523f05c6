Feature: Untrusted runs are isolated from everything else on the agent's machine

  Rule: A fork's pull request cannot access its agent, other runs or the machine owner's files

    @AUTH-022 @AUTH-024 @needs-cc
    Scenario: an untrusted run looks for processes, sockets and files of a trusted run that has a secret
      Given the secret "TOKEN" is "canary-of-the-project"
      And the webhook "site" with '{"forge": "forge_a", "repo": "acme/site"}'
      When I submit the script "victim.sh" as "victim":
        """
        echo started >> '{folder}/victim'
        printf '%s' "$TOKEN" > '{folder}/kept'
        svc wait-signal done
        svc output set own=untouched
        """
      Then the file "victim" soon has 1 line
      Given the handler "outsider" with '{"on": ["forge.pull_request"]}' runs "outsider.sh":
        """
        canaries() { tr '\0' '\n' < "$1" 2>/dev/null | grep -c 'canary-of-the-project\|SVC_TOKEN=.' || true; }
        found=0
        for file in /proc/[0-9]*/environ; do found=$((found + $(canaries "$file"))); done
        echo "environments: $found"
        echo "agent: $(ls -d "/proc/$SVC_AGENT_PID/cwd" 2>/dev/null | wc -l)"
        echo "sockets: $(ls -d "$(dirname "$SVC_AGENT_SOCKET")"/../*/s 2>/dev/null | wc -l)"
        echo "folder: $(ls -A | wc -l)"
        echo "files: $(ls '{folder}' 2>/dev/null | wc -l)"
        if svc run ls; then echo "a profile was there"; fi
        if svc spawn '{folder}/kept'; then echo "the agent read it"; fi
        echo mine > own
        svc step read -- cat own
        svc step again --retry 2 --timeout 1m -- sh -c 'test "$ATTEMPT" = 2 && echo "attempt $ATTEMPT"'
        """
      When forge_a delivers "pull_request" to "site":
        """
        {"action": "opened", "number": 1, "repository": {"full_name": "acme/site"}, "pull_request": {
          "author_association": "NONE", "base": {"repo": {"full_name": "acme/site"}},
          "head": {"sha": "0123456789", "ref": "fix", "repo": {"full_name": "eve/site"}}}}
        """
      And the event of the delivery is looked at
      Then the handler "outsider" succeeds
      And "trusted" of the run is "false"
      And the log has "environments: 0"
      And the log has "agent: 0"
      And the log has "sockets: 1"
      And the log has "folder: 0"
      And the log has "files: 0"
      And the log has "attempt 2"
      And the log has "mine"
      And the log lacks "a profile was there"
      And the log lacks "the agent read it"
      When I look at the run "victim"
      And I send the signal "done" with "null"
      Then the run succeeds
      And "output.own" of the run is "untouched"

  @contract
  Rule: Untrusted runs get a share of the slots, and trusted work has priority

    @own-server @configured @needs-cc
    Scenario: an untrusted run reaches its limits while a trusted run continues
      Given a server and an agent of their own with:
        | SVC_UNTRUSTED_SLOTS      | 1                   |
        | SVC_UNTRUSTED_RUN_LIMITS | log=256KiB,spawns=2 |
      And the webhook "site" with '{"forge": "forge_a", "repo": "acme/site"}'
      And the handler "outsider" with '{"on": ["forge.pull_request"]}' runs "outsider.sh":
        """
        echo 'sleep 600' > nap.sh
        svc spawn nap.sh
        svc spawn nap.sh
        if svc spawn nap.sh; then echo "a third was started"; else echo "two are enough"; fi
        seq 1 100000
        echo "nobody reads this"
        svc output set done=yes
        """
      When forge_a delivers "pull_request" to "site":
        """
        {"action": "opened", "number": 1, "repository": {"full_name": "acme/site"}, "pull_request": {
          "author_association": "NONE", "base": {"repo": {"full_name": "acme/site"}},
          "head": {"sha": "0123456789", "ref": "fix", "repo": {"full_name": "eve/site"}}}}
        """
      And the event of the delivery is looked at
      Then the handler "outsider" succeeds
      And "output.done" of the run is "yes"
      And the log has "spawn_limit"
      And the log has "two are enough"
      And the log has "svc: the log ends here"
      And the log lacks "a third was started"
      And the log lacks "nobody reads this"
      When I submit the script "trusted.sh":
        """
        echo "trusted work goes on"
        """
      Then the run succeeds
      When I call "svc runs cancel --status queued,running --yes"
      Then it exits with 0

  @contract
  Rule: Each agent can be configured to isolate untrusted runs, to reject them, or to run only them

    @own-server @configured
    Scenario: an agent that rejects untrusted runs leaves them queued, and svc explain shows this
      Given a server and an agent of their own with:
        | SVC_AGENT_UNTRUSTED | refuse |
      And the webhook "site" with '{"forge": "forge_a", "repo": "acme/site"}'
      And the handler "outsider" with '{"on": ["forge.pull_request"]}' runs "outsider.sh":
        """
        echo "never"
        """
      When forge_a delivers "pull_request" to "site":
        """
        {"action": "opened", "number": 1, "repository": {"full_name": "acme/site"}, "pull_request": {
          "author_association": "NONE", "base": {"repo": {"full_name": "acme/site"}},
          "head": {"sha": "0123456789", "ref": "fix", "repo": {"full_name": "eve/site"}}}}
        """
      And I submit the script "trusted.sh":
        """
        echo "trusted work goes on"
        """
      Then the run succeeds
      When I call "svc agents ls"
      Then standard output has "refuse"
      And the run of "outsider" is "queued"
      When I call "svc explain {run}"
      Then standard output has "accepts no untrusted runs"
      And standard output has "so it must be isolated"
      When I cancel the run because "nobody takes it"
      Then the run is "cancelled"

    @own-server @configured @needs-cc
    Scenario: an agent for untrusted runs only does not claim trusted runs
      Given a server and an agent of their own with:
        | SVC_AGENT_UNTRUSTED | only |
      And the webhook "site" with '{"forge": "forge_a", "repo": "acme/site"}'
      And the handler "outsider" with '{"on": ["forge.pull_request"]}' runs "outsider.sh":
        """
        echo "taken"
        """
      When I submit the script "trusted.sh" as "trusted":
        """
        echo "never"
        """
      And forge_a delivers "pull_request" to "site":
        """
        {"action": "opened", "number": 1, "repository": {"full_name": "acme/site"}, "pull_request": {
          "author_association": "NONE", "base": {"repo": {"full_name": "acme/site"}},
          "head": {"sha": "0123456789", "ref": "fix", "repo": {"full_name": "eve/site"}}}}
        """
      And the event of the delivery is looked at
      Then the handler "outsider" succeeds
      When I look at the run "trusted"
      And I call "svc explain {run}"
      Then standard output has "accepts only untrusted runs"
      When I cancel the run because "nobody takes it"
      Then the run is "cancelled"

  @contract
  Rule: Trusted runs are isolated too if the agent's owner chooses so

    @own-server @configured @needs-cc
    Scenario: every run is isolated
      Given a server and an agent of their own with:
        | SVC_AGENT_ISOLATE | all |
      And the secret "TOKEN" is "canary-of-the-project"
      When I submit the script "a.sh":
        """
        svc output set token="$TOKEN" agent="$(ls -d "/proc/$SVC_AGENT_PID/cwd" 2>/dev/null)" left="$(ls -A)"
        """
      Then the run succeeds
      And "output.token" of the run is "***"
      And "output.agent" of the run is ""
      And "output.left" of the run is ""
