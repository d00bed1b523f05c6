@contract
Feature: Caches of jobs and scripts

  Rule: Later runs start with the files that a job saved under a key

    Scenario: the second run restores what the first one saved, with links and permissions
      Given a file "ci.yml":
        """
        vars: { os: linux }
        jobs:
          build:
            cache: { key: "deps-${{ vars.os }}", paths: [deps/, missing] }
            steps:
              - run: |
                  echo $(ls -A deps 2>/dev/null || echo none) >> {folder}/seen
                  mkdir -p deps; touch "deps/$LOCK"; ln -sf "$LOCK" deps/link; chmod 700 deps/$LOCK
                  test "$(readlink deps/link)" = "$LOCK"
        """
      When I submit "ci.yml --env LOCK=one" with the CLI as "first"
      Then the run succeeds
      When I submit "ci.yml --env LOCK=two" with the CLI as "second"
      Then the run succeeds
      And the file "seen" is:
        """
        none
        link one
        """
      When I call "svc cache ls --json"
      Then standard output is JSON whose "caches.length" is "1"

    Scenario: the content of files is part of the key; if no key matches, the newest cache whose key has a given prefix is restored
      When I submit the pipeline:
        """
        jobs:
          one:
            steps: [{ run: "echo a > lock; echo first > data; svc cache save deps-a data; echo b > data; svc cache save deps-b data" }]
          other:
            needs: one
            cache: [{ key: deps, files: [lock], paths: [data], restore_keys: [none, deps-] }]
            steps: [{ run: "cat data > {folder}/other; echo third > data; echo c > lock" }]
          again:
            needs: other
            cache: [{ key: deps, files: [lock], paths: [data] }]
            steps: [{ run: "cat data > {folder}/again" }]
        """
      Then the run succeeds
      And the file "other" is:
        """
        b
        """
      And the file "again" is:
        """
        third
        """
      And the log has "restored deps-b"
      And the log has "saved deps-"

    Scenario: a key is saved once, a failed job saves nothing, and a cache can be removed
      When I submit the pipeline:
        """
        jobs:
          one: { cache: { key: k/1, paths: [f] }, steps: [{ run: "echo one > f" }] }
          two: { needs: one, cache: { key: k/1, paths: [f] }, steps: [{ run: "echo two > f" }] }
          bad: { needs: two, cache: { key: bad, paths: [f] }, steps: [{ run: "echo bad > f; exit 1" }] }
          three: { needs: bad, always: true, cache: { key: k/1, paths: [f] }, steps: [{ run: "cat f > {folder}/three" }] }
        """
      Then the run fails with code "step_failed"
      And the file "three" is:
        """
        one
        """
      When I call "svc cache ls --json"
      Then standard output is JSON whose "caches.length" is "1"
      And standard output is JSON whose "caches.0.key" is "k/1"
      When I call "svc cache rm k/1"
      Then it exits with 0
      When I call "svc cache rm k/1"
      Then it exits with 1
      When I call "svc cache ls --json"
      Then standard output is JSON whose "caches.length" is "0"

    Scenario: files outside of the workspace are rejected by the check
      When I check the pipeline:
        """
        jobs:
          one: { cache: { key: k, paths: [~/.npm, /tmp, a/../../b, ok] }, steps: [{ run: "true" }] }
          two: { cache: [{ key: k, paths: [ok], files: [../lock] }], wait_for_event: go }
        """
      Then it has the problem "files in the workspace" at "2:35"
      And it has the problem "files in the workspace" at "2:43"
      And it has the problem "files in the workspace" at "2:49"
      And it has the problem "files in the workspace" at "3:49"
      And it has the problem "`cache` does nothing in a job with `wait_for_event`" at "3:10"
      And it has 5 problems

  Rule: Scripts use the same caches

    Scenario: each pass of a script restores the cache, and a missing cache is not an error
      When I submit the script "build.sh":
        """
        cd "$(mktemp -d)"
        echo "restored:$(svc cache restore deps-1 --or deps-)" >> {folder}/passes
        mkdir -p deps/a; echo one > deps/a/file
        echo "saved:$(svc cache save deps-1 deps nothing)" >> {folder}/passes
        svc sleep 10ms
        """
      Then the run succeeds
      And the file "passes" is:
        """
        restored:
        saved:deps-1
        restored:deps-1
        saved:
        """
      When I submit the script "use.sh":
        """
        cd "$(mktemp -d)"
        test "$(svc cache restore deps-2 --or other- --or deps-)" = deps-1
        svc step check -- cat deps/a/file
        for wrong in "" "a ../x" "k /abs" "k" "a/../b f" "./k f"; do code=0; svc cache save $wrong || code=$?; test $code = 2; done
        """
      Then the run succeeds
      And the recorded steps are:
        | site    | kind | exit | stdout |
        | check#0 | step | 0    | one\n  |

    @needs-cc
    Scenario: an untrusted run can neither read nor write the caches of trusted runs
      Given the webhook "site" with '{"forge": "forge_a", "repo": "acme/site"}'
      And a file "ci.yml":
        """
        jobs:
          build:
            cache: { key: shared, paths: [data] }
            steps: [{ run: "cat data 2>/dev/null || echo nothing; echo poison > data" }]
          again:
            needs: build
            cache: { key: shared, paths: [data] }
            steps: [{ run: "cat data" }]
        """
      When I submit the pipeline:
        """
        jobs: { one: { cache: { key: shared, paths: [data] }, steps: [{ run: "echo own > data" }] } }
        """
      Then the run succeeds
      When I call "svc handler set outsider {folder}/ci.yml --as=yaml --on forge.pull_request"
      Then it exits with 0
      When forge_a delivers "pull_request" to "site":
        """
        {"action": "opened", "number": 1, "repository": {"full_name": "acme/site"}, "pull_request": {
          "author_association": "NONE", "base": {"repo": {"full_name": "acme/site"}},
          "head": {"sha": "0123456789", "ref": "fix", "repo": {"full_name": "eve/site"}}}}
        """
      And the event of the delivery is looked at
      Then the handler "outsider" succeeds
      And the log has "nothing"
      And the log has "poison"
      And the log lacks "own"
      When I submit the pipeline:
        """
        jobs: { one: { cache: { key: shared, paths: [data] }, steps: [{ run: "cat data > {folder}/mine" }] } }
        """
      Then the run succeeds
      And the file "mine" is:
        """
        own
        """

  Rule: Old caches are removed to make room for new ones

    @own-server @configured
    Scenario: the least recently used cache is removed, and a cache that is too large is not saved
      Given a server and an agent of their own with:
        | SVC_PROJECT_LIMITS | cache=100KiB |
      When I submit the pipeline:
        """
        jobs:
          one:
            steps:
              - run: |
                  for n in 1 2 3; do head -c 40000 /dev/urandom > data; svc cache save k-$n data; done
                  head -c 200000 /dev/urandom > data; svc cache save large data 2> said; cat said
                  grep -q 'more than all caches' said
                  rm data; test "$(svc cache restore k-1)" = ""; test "$(svc cache restore k-3)" = k-3; test -s data
        """
      Then the run succeeds
      When I call "svc cache ls --json"
      Then standard output is JSON whose "caches.length" is "2"
