<?php
// Leads PHP's http and https streams through the proxy that the environment names. PHP runs this file before a script
// (auto_prepend_file). Contexts that the script makes itself have settings of their own.
(function () {
    $proxy = parse_url(getenv('http_proxy') ?: '');
    if (!isset($proxy['host'], $proxy['port'])) return;
    $http = ['proxy' => "tcp://{$proxy['host']}:{$proxy['port']}", 'request_fulluri' => true];
    if (isset($proxy['user'])) {
        $credentials = rawurldecode($proxy['user']) . ':' . rawurldecode($proxy['pass'] ?? '');
        $http['header'] = 'Proxy-Authorization: Basic ' . base64_encode($credentials);
    }
    stream_context_set_default(['http' => $http]);
})();
