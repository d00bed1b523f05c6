@contract
Feature: A project as files

  Rule: An export describes the project exactly

    @store
    Scenario: objects of every kind are exported, compared, and applied to another project
      Given a file "ci.sh":
        """
        echo built
        """
      And a file "deploy.yaml":
        """
        jobs:
          ship:
            steps:
              - run: echo shipped
        """
      And a file "orders.json":
        """
        {"version": "svc-graph/v1", "nodes": [{"id": "start", "type": "trigger.webhook"}, {"id": "done", "type": "set", "config": {"values": {"n": 12345678901234567890.5}}}], "edges": [{"from": "start", "to": "done"}]}
        """
      And the secret "API_KEY" is "very-secret-value"
      And the credential "bot" is '{"kind": "bearer", "token": "bot-token-value"}'
      When I call "svc handler set build {folder}/ci.sh --on push --when event.trusted --concurrency-key event.key --timeout 60m --env LEVEL=1 --tag kind:ci"
      And I call "svc handler set ship {folder}/deploy.yaml --on ship.asked --throttle 10/60s --batch 5/10s"
      And I call "svc schedule set nightly '0 3 * * *' {folder}/ci.sh --timezone Europe/Berlin --overlap skip"
      And I call "svc graph save orders {folder}/orders.json"
      And I call "svc graph publish orders"
      And I call "svc handler set order --graph orders --on order.paid"
      And I call "svc event-hook set builds --event-type build.done"
      And I call "svc event-hook set shop --hmac-header X-Sig --hmac-key - --hmac-prefix sha256=" with standard input:
        """
        signing-key-value
        """
      And I call "svc webhook set site --forge forge_a --repo acme/site --workflow {folder}/ci.sh"
      And I call "svc member set ben --role viewer --project {project}"
      And I call "svc var set _REGION eu"
      And I call "svc export -o {folder}/p"
      Then it exits with 0
      And standard output is:
        """
        credentials/bot.yaml
        event-hooks/builds.yaml
        event-hooks/shop.yaml
        graphs/orders.json
        graphs/orders.yaml
        handlers/build.yaml
        handlers/build/ci.sh
        handlers/order.yaml
        handlers/ship.yaml
        handlers/ship/deploy.yaml
        members/ben.yaml
        schedules/nightly.yaml
        schedules/nightly/ci.sh
        vars/_REGION.yaml
        webhooks/site.yaml
        webhooks/site/ci.sh
        """
      And the file "p/handlers/build.yaml" is:
        """
        on:
          - push
        when: event.trusted
        concurrency:
          limit: 1
          key: event.key
        file: build/ci.sh
        env:
          LEVEL: "1"
        tags:
          - kind:ci
        timeout: 60m
        """
      And no file below "p" has "-value"
      When I call "svc diff -f {folder}/p"
      Then it exits with 0
      And standard error has "the project matches its files"
      When I call "svc apply -f {folder}/p"
      Then it exits with 0
      And standard error has "nothing to do: 11 unchanged"
      Given another project noted as "copy"
      When I call "svc apply -f {folder}/p --project {copy}"
      Then it exits with 1
      And standard error has "failed credentials/bot: does not exist"
      And standard error has "svc credential set bot --kind bearer"
      And standard error has "failed event-hooks/shop: svc needs the signing key"
      And standard error has "9 created, 0 updated, 0 unchanged, 0 removed, 2 failed"
      And standard output lacks "secret"
      Given a file "p/event-hooks/shop.yaml":
        """
        hmac: {header: X-Sig, prefix: sha256=}
        key_env: SHOP_KEY
        """
      When I call "svc credential set bot --kind bearer --token - --project {copy}" with standard input:
        """
        another-token
        """
      And I call "svc apply -f {folder}/p --project {copy}" with "SHOP_KEY" set to "signing-key-value"
      Then it exits with 0
      And standard error has "1 created, 0 updated, 10 unchanged, 0 removed, 0 failed"
      When I call "svc diff -f {folder}/p --project {copy}"
      Then it exits with 0

    Scenario: an export contains both the published and the saved document of a graph
      Given a file "p/graphs/greet.yaml":
        """
        document:
          version: svc-graph/v1
          nodes: [{id: hello, type: set, config: {values: {text: draft}}}]
        published:
          version: svc-graph/v1
          nodes: [{id: hello, type: set, config: {values: {text: live}}}]
        """
      When I call "svc apply -f {folder}/p"
      Then it exits with 0
      When I call "svc graph ls"
      Then standard output matches "greet +2 +1"
      When I call "svc export -o {folder}/q"
      Then the file "q/graphs/greet.yaml" is:
        """
        document: greet.json
        published: greet.published.json
        """
      When I call "svc diff -f {folder}/q"
      Then it exits with 0
      When I call "svc apply -f {folder}/q"
      Then standard error has "nothing to do"
      And I call "svc graph ls"
      And standard output matches "greet +2 +1"

  Rule: An export can be applied to an empty project

    @store
    Scenario: an export contains the files that pipelines run and scripts include, and another project gets these files
      Given a file "ci/deploy.yaml":
        """
        jobs:
          build:
            workflow: ../scripts/build.mjs
            include: [data]
          nested:
            needs: build
            workflow: sub/inner.yaml
        """
      And a file "ci/sub/inner.yaml":
        """
        jobs:
          count:
            workflow: count.sh
            include: [words.txt]
        """
      And a file "ci/sub/count.sh":
        """
        wc -w < words.txt
        """
      And a file "ci/sub/words.txt":
        """
        one two three
        """
      And a file "scripts/build.mjs":
        """
        import { greeting } from './lib/greeting.mjs';
        import { readFileSync } from 'node:fs';
        console.log(greeting, readFileSync('data/who.txt', 'utf8').trim());
        """
      And a file "scripts/lib/greeting.mjs":
        """
        export const greeting = 'hello';
        """
      And a file "scripts/data/who.txt":
        """
        world
        """
      When I call "svc handler set ship {folder}/ci/deploy.yaml --root {folder} --on ship.asked"
      Then it exits with 0
      When I call "svc handler set words {folder}/ci/sub/count.sh --include words.txt --on words.asked"
      And I call "svc schedule set nightly '0 3 * * *' {folder}/ci/sub/count.sh --include words.txt"
      And I call "svc webhook set site --forge forge_a --repo acme/site --workflow {folder}/ci/sub/count.sh --include words.txt"
      Then it exits with 0
      When I call "svc export -o {folder}/p"
      Then it exits with 0
      And standard output is:
        """
        handlers/ship.yaml
        handlers/ship/pipelines/deploy.yaml
        handlers/ship/pipelines/sub/count.sh
        handlers/ship/pipelines/sub/inner.yaml
        handlers/ship/pipelines/sub/words.txt
        handlers/ship/scripts/build.mjs
        handlers/ship/scripts/data/who.txt
        handlers/words.yaml
        handlers/words/count.sh
        handlers/words/words.txt
        schedules/nightly.yaml
        schedules/nightly/count.sh
        schedules/nightly/words.txt
        webhooks/site.yaml
        webhooks/site/count.sh
        webhooks/site/words.txt
        """
      And the file "p/handlers/words.yaml" is:
        """
        on:
          - words.asked
        file: words/count.sh
        include:
          - words.txt
        """
      And no file below "p" has "sha256:"
      When I call "svc diff -f {folder}/p"
      Then it exits with 0
      Given another project noted as "copy"
      When I call "svc apply -f {folder}/p --project {copy}"
      Then it exits with 0
      And standard error has "4 created"
      When I call "svc diff -f {folder}/p --project {copy}"
      Then it exits with 0
      When I call "svc export -o {folder}/q --project {copy}"
      And I call "svc diff -f {folder}/q"
      Then it exits with 0

  Rule: Differences are shown and applied

    Scenario: differences are shown by member, and the next apply removes them
      Given a file "p/handlers/build.yaml":
        """
        on: [push]
        file: ../scripts/build.sh
        timeout: 1h
        retry: {limit: 2}
        """
      And a file "p/scripts/build.sh":
        """
        echo one
        echo two
        """
      And a file "p/schedules/nightly.yaml":
        """
        cron: 0 3 * * *
        """
      When I call "svc diff -f {folder}/p"
      Then it exits with 1
      And standard output is:
        """
        + handlers/build
        + schedules/nightly
        """
      When I call "svc apply -f {folder}/p --dry-run"
      Then it exits with 0
      And standard error has "dry run: 2 created"
      When I call "svc apply -f {folder}/p"
      Then standard output is:
        """
        created handlers/build
        created schedules/nightly
        """
      When I call "svc handler show build --json"
      Then standard output is JSON whose "retry.limit" is "2"
      When I call "svc export -o {folder}/q"
      Then the file "q/handlers/build.yaml" has "limit: 2"
      When I call "svc schedule pause nightly"
      And I call "svc diff -f {folder}/p"
      Then it exits with 0
      Given a file "other.sh":
        """
        echo one
        echo three
        """
      When I call "svc handler set build {folder}/other.sh --on push,tag --timeout 60m"
      And I call "svc diff -f {folder}/p"
      Then it exits with 1
      And standard output has "~ handlers/build"
      And standard output has 'on: ["push","tag"] → ["push"]'
      And standard output has "source: differs from line 2"
      And standard output lacks "timeout"
      When I call "svc apply -f {folder}/p --json"
      Then it exits with 0
      And standard output is JSON whose "updated.0" is "handlers/build"
      And standard output is JSON whose "unchanged.0" is "schedules/nightly"
      When I call "svc schedule show nightly --json"
      Then standard output is JSON whose "paused" is "true"

    Scenario: a script is applied together with its imports, and an included file is uploaded
      Given a file "p/handlers/sum.yaml":
        """
        on: [sum.asked]
        file: sum.mjs
        """
      And a file "p/handlers/sum.mjs":
        """
        import { add } from './lib/add.mjs';
        console.log(add(1, 2));
        """
      And a file "p/handlers/lib/add.mjs":
        """
        export const add = (a, b) => a + b;
        """
      And a file "p/handlers/read.yaml":
        """
        on: [read.asked]
        file: read.sh
        include: [lib]
        """
      And a file "p/handlers/read.sh":
        """
        cat lib/add.mjs
        """
      When I call "svc apply -f {folder}/p"
      Then it exits with 0
      When I call "svc handler show read --json"
      Then standard output is JSON whose "files.0.path" is "lib/add.mjs"
      When I call "svc diff -f {folder}/p"
      Then it exits with 0
      When I call "svc export -o {folder}/q"
      And I call "svc diff -f {folder}/q"
      Then it exits with 0

  Rule: A webhook is registered at the forge as its file specifies

    @far-end
    Scenario: the registration is exported, and ends when its line is removed from the file
      Given a forge whose API takes the token "far-token-1"
      And the credential "bot" is '{"kind": "bearer", "token": "far-token-1"}'
      When I call "svc webhook set site --forge forge_a --repo acme/site --api-base {far_forge} --auto-register --credential bot"
      And I call "svc export -o {folder}/p"
      Then the file "p/webhooks/site.yaml" is:
        """
        forge: forge_a
        repo: acme/site
        api_base: {far_forge}
        credential: bot
        auto_register: true
        """
      When I call "svc diff -f {folder}/p"
      Then it exits with 0
      Given a file "p/webhooks/site.yaml":
        """
        forge: forge_a
        repo: acme/site
        """
      When I call "svc apply -f {folder}/p"
      Then standard error has "nothing to do"
      And the forge has 1 webhook for "acme/site"
      Given a file "p/webhooks/site.yaml":
        """
        forge: forge_a
        repo: acme/site
        auto_register: false
        """
      When I call "svc apply -f {folder}/p"
      Then it exits with 0
      And the forge has 0 webhooks for "acme/site"
      When I call "svc diff -f {folder}/p"
      Then it exits with 0
